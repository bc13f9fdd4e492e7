import type { FastifyBaseLogger } from 'fastify'

/**
 * The logger of a request, made when it first logs: to make one takes as long as to check who asks. Few requests log more
 * than their line, which needs none: see access-log.ts.
 */
export class RequestLogger implements FastifyBaseLogger {
  readonly #make: () => FastifyBaseLogger
  #made: FastifyBaseLogger | undefined

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make
  }

  get level(): string {
    return this.#logger.level
  }

  fatal(...line: unknown[]): void {
    this.#logger.fatal(...(line as [string]))
  }
  error(...line: unknown[]): void {
    this.#logger.error(...(line as [string]))
  }
  warn(...line: unknown[]): void {
    this.#logger.warn(...(line as [string]))
  }
  info(...line: unknown[]): void {
    this.#logger.info(...(line as [string]))
  }
  debug(...line: unknown[]): void {
    this.#logger.debug(...(line as [string]))
  }
  trace(...line: unknown[]): void {
    this.#logger.trace(...(line as [string]))
  }
  silent(...line: unknown[]): void {
    this.#logger.silent(...(line as [string]))
  }
  child(...settings: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#logger.child(...settings)
  }

  get #logger(): FastifyBaseLogger {
    this.#made ??= this.#make()
    return this.#made
  }
}
