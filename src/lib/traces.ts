import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { version } from './version.ts'

/**
 * Traces for OpenTelemetry, sent as JSON over HTTP (OTLP). Configured by the variables of its convention alone:
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/. Our own: the packages take 15 MB.
 */

type Env = Readonly<Record<string, string | undefined>>
type Attributes = Readonly<Record<string, string | number>>

/** A span in progress. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  readonly name: string
  /** 2 for a request that we answer, 3 for one of ours to others, as OTLP numbers them. */
  readonly kind: 2 | 3
  /** Milliseconds since 1970, with fractions. */
  readonly began: number
}

interface Ended extends Span {
  readonly ended: number
  readonly attributes: Attributes
  readonly isFailed: boolean
}

/** Spans that are sent at once, that wait at most, and how often they are sent, in milliseconds. */
const BATCH = 512
const MAX_WAITING = 2048
const DELAY = 1000

/** Whether tracing is asked for. */
export function isTraced(env: Env): boolean {
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  return !isOff && endpointOf(env) !== null
}

function endpointOf(env: Env): string | null {
  if (env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT
  return base ? `${base.replace(/\/+$/, '')}/v1/traces` : null
}

/** Collects spans and sends them in the background. What cannot be sent is dropped. */
export class Tracer {
  readonly #url: string
  readonly #headers: Record<string, string>
  readonly #timeout: number
  readonly #resource: object
  readonly #sampler: (traceId: string, isSampledByParent: boolean | null) => boolean
  readonly #onError: (error: unknown) => void
  readonly #current = new AsyncLocalStorage<Span>()
  #waiting: Ended[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> = Promise.resolve()
  #hasFailed = false

  constructor(env: Env, onError: (error: unknown) => void) {
    this.#url = endpointOf(env) ?? ''
    const headers = pairsOf(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS)
    this.#headers = { ...headers, 'content-type': 'application/json' }
    this.#timeout = Number(env.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? env.OTEL_EXPORTER_OTLP_TIMEOUT) || 10_000
    const named = pairsOf(env.OTEL_RESOURCE_ATTRIBUTES)
    const service = env.OTEL_SERVICE_NAME || named['service.name'] || 'kalends'
    const known = { 'service.version': version(), 'host.name': hostname(), 'process.pid': process.pid }
    this.#resource = { attributes: attributesOf({ ...known, ...named, 'service.name': service }) }
    this.#sampler = samplerOf(env.OTEL_TRACES_SAMPLER ?? '', Number(env.OTEL_TRACES_SAMPLER_ARG ?? 1))
    this.#onError = onError
  }

  /** Begins the span of a request; null if it is not sampled. The parent comes from a proxy. */
  begin(name: string, parent: { trace_id: string; parent_id: string } | null, began = now()): Span | null {
    const traceId = parent?.trace_id ?? randomBytes(16).toString('hex')
    if (!this.#sampler(traceId, parent === null ? null : true)) return null
    return { traceId, spanId: newId(), parentId: parent?.parent_id ?? null, name, kind: 2, began }
  }

  /** Runs work whose own spans belong to this one. */
  within<T>(span: Span, work: () => T): T {
    return this.#current.run(span, work)
  }

  end(span: Span, name: string, attributes: Attributes, isFailed = false): void {
    this.#add({ ...span, name, ended: now(), attributes, isFailed })
  }

  /** Adds a span that lasted so many milliseconds until now, within the current one. */
  addChild(name: string, ms: number, attributes: Attributes): void {
    const parent = this.#current.getStore()
    if (parent === undefined) return
    const ended = now()
    const { traceId, spanId: parentId } = parent
    this.#add({
      traceId,
      spanId: newId(),
      parentId,
      name,
      kind: 3,
      began: ended - ms,
      ended,
      attributes,
      isFailed: false,
    })
  }

  /** Sends everything that waits. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.splice(0, BATCH)
      this.#sending = this.#sending.then(() => this.#send(spans))
    }
    await this.#sending
  }

  #add(span: Ended): void {
    if (this.#waiting.length >= MAX_WAITING) return
    this.#waiting.push(span)
    this.#timer ??= setTimeout(() => void this.flush(), DELAY).unref()
  }

  async #send(spans: readonly Ended[]): Promise<void> {
    const scopeSpans = [{ scope: { name: 'kalends', version: version() }, spans: spans.map(written) }]
    const body = JSON.stringify({ resourceSpans: [{ resource: this.#resource, scopeSpans }] })
    try {
      const signal = AbortSignal.timeout(this.#timeout)
      const { ok, status } = await fetch(this.#url, { method: 'POST', headers: this.#headers, body, signal })
      if (!ok) throw new Error(`the receiver of traces answered ${status}`)
      this.#hasFailed = false
    } catch (error) {
      // Told once, however long it is away.
      if (!this.#hasFailed) this.#onError(error)
      this.#hasFailed = true
    }
  }
}

function written({ traceId, spanId, parentId, name, kind, began, ended, attributes, isFailed }: Ended): object {
  return {
    traceId,
    spanId,
    ...(parentId !== null && { parentSpanId: parentId }),
    name,
    kind,
    startTimeUnixNano: nanoseconds(began),
    endTimeUnixNano: nanoseconds(ended),
    attributes: attributesOf(attributes),
    status: isFailed ? { code: 2 } : {},
  }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

function nanoseconds(ms: number): string {
  return `${BigInt(Math.round(ms * 1000))}000`
}

function newId(): string {
  return randomBytes(8).toString('hex')
}

function attributesOf(values: Attributes): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }))
}

/** `key=value` pairs, comma-separated, with percent-encoded values. */
function pairsOf(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((part): [string, string][] => {
    const at = part.indexOf('=')
    return at < 1 ? [] : [[part.slice(0, at).trim(), decoded(part.slice(at + 1).trim())]]
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Decides which traces are kept. By default all. */
function samplerOf(name: string, ratio: number): (traceId: string, isSampledByParent: boolean | null) => boolean {
  const share = Number.isFinite(ratio) ? Math.min(Math.max(ratio, 0), 1) : 1
  // The last 7 bytes of an id are random.
  const byRatio = (traceId: string) => Number.parseInt(traceId.slice(-12), 16) < share * 2 ** 48
  const root = /always_off$/.test(name) ? () => false : /traceidratio$/.test(name) ? byRatio : () => true
  return (traceId, isSampledByParent) =>
    name.startsWith('parentbased') && isSampledByParent !== null ? isSampledByParent : root(traceId)
}

let tracer: Tracer | null = null

/** The tracer of this process; null without one. */
export function currentTracer(): Tracer | null {
  return tracer
}

export function setTracer(value: Tracer | null): void {
  tracer = value
}
