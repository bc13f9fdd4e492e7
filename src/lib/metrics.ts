/**
 * Figures of this process for Prometheus, in its text format (version 0.0.4). Our own: a counter is one addition, and the
 * common package has several times the code. Counting is always on; it costs less than a branch could save.
 */

type Labels = Readonly<Record<string, string>>
type Type = 'counter' | 'gauge' | 'histogram'

/** One line of figures, in a form that processes exchange. */
export interface Sample {
  /** With the suffix of a histogram, such as `_bucket`. */
  readonly name: string
  /** As they are written: `kind="read"`. */
  readonly labels: string
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly help: string
  readonly type: Type
  readonly samples: readonly Sample[]
}

/** How figures of several processes become one: a time is the latest, everything else is added. */
const LATEST = /_timestamp_seconds$|_info$|_quantile_seconds$/

export class Counter {
  value = 0

  add(by = 1): void {
    this.value += by
  }

  set(value: number): void {
    this.value = value
  }
}

/** Upper bounds of buckets, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export class Histogram {
  readonly counts = new Float64Array(BUCKETS.length + 1)
  sum = 0

  /** Seconds. */
  observe(seconds: number): void {
    this.sum += seconds
    let bucket = 0
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++
    this.counts[bucket] = (this.counts[bucket] as number) + 1
  }
}

/** Figures of one name, by labels. */
class Labelled<T extends Counter | Histogram> {
  readonly name: string
  readonly help: string
  readonly type: Type
  readonly children = new Map<string, T>()
  readonly #make: () => T

  constructor(name: string, help: string, type: Type, make: () => T) {
    this.name = name
    this.help = help
    this.type = type
    this.#make = make
  }

  /** Keep the result where it is used often. */
  with(labels: Labels = {}): T {
    const key = Object.entries(labels)
      .map(
        ([name, value]) =>
          `${name}="${value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))}"`,
      )
      .join(',')
    const child = this.children.get(key) ?? this.#make()
    this.children.set(key, child)
    return child
  }
}

const all = new Map<string, Labelled<Counter | Histogram>>()
const refreshers = new Set<() => void | Promise<void>>()

function register<T extends Counter | Histogram>(name: string, help: string, type: Type, make: () => T): Labelled<T> {
  const labelled = new Labelled(name, help, type, make)
  all.set(name, labelled)
  return labelled
}

/** Declares a figure that only grows. Its name ends with `_total`. */
export function counter(name: string, help: string): Labelled<Counter> {
  return register(name, help, 'counter', () => new Counter())
}

export function gauge(name: string, help: string): Labelled<Counter> {
  return register(name, help, 'gauge', () => new Counter())
}

/** Declares durations, in seconds. */
export function histogram(name: string, help: string): Labelled<Histogram> {
  return register(name, help, 'histogram', () => new Histogram())
}

/** Calls a function before figures are read. The result ends that. */
export function beforeReading(refresh: () => void | Promise<void>): () => void {
  refreshers.add(refresh)
  return () => refreshers.delete(refresh)
}

/** Names of all declared figures. */
export function metricNames(): string[] {
  return [...all.keys()]
}

/** Reads all figures of this process. */
export async function readMetrics(): Promise<Family[]> {
  for (const refresh of refreshers) await refresh()
  return [...all.values()].map(({ name, help, type, children }) => ({
    name,
    help,
    type,
    samples: [...children].flatMap(([labels, child]) =>
      child instanceof Histogram ? samplesOf(name, labels, child) : [{ name, labels, value: child.value }],
    ),
  }))
}

function samplesOf(name: string, labels: string, { counts, sum }: Histogram): Sample[] {
  const prefix = labels === '' ? '' : `${labels},`
  let total = 0
  const buckets = [...counts].map((count, n) => {
    total += count
    return { name: `${name}_bucket`, labels: `${prefix}le="${BUCKETS[n] ?? '+Inf'}"`, value: total }
  })
  return [...buckets, { name: `${name}_sum`, labels, value: sum }, { name: `${name}_count`, labels, value: total }]
}

/** Joins the figures of several processes. */
export function joinMetrics(processes: readonly (readonly Family[])[]): Family[] {
  const joined = new Map<string, Family & { samples: Map<string, Sample> }>()
  for (const family of processes.flat()) {
    const known = joined.get(family.name) ?? { ...family, samples: new Map<string, Sample>() }
    joined.set(family.name, known as Family & { samples: Map<string, Sample> })
    const samples = known.samples as Map<string, Sample>
    for (const sample of family.samples) {
      const key = `${sample.name}{${sample.labels}}`
      const before = samples.get(key)?.value
      const value =
        before === undefined
          ? sample.value
          : LATEST.test(sample.name)
            ? Math.max(before, sample.value)
            : before + sample.value
      samples.set(key, { ...sample, value })
    }
  }
  return [...joined.values()].map((family) => ({ ...family, samples: [...family.samples.values()] }))
}

/** Writes figures in the text format. */
export function writeMetrics(families: readonly Family[]): string {
  const lines = families
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map((one) => `${one.name}${one.labels === '' ? '' : `{${one.labels}}`} ${one.value}`),
    ])
  return `${lines.join('\n')}\n`
}

const lookups = counter('kalends_cache_lookups_total', 'Lookups in caches, by layer and result: hit or miss.')

/** Counters of a cache. */
export function cacheCounters(layer: 'response' | 'scratch file' | 'list' | 'event'): { hit: Counter; miss: Counter } {
  return { hit: lookups.with({ layer, result: 'hit' }), miss: lookups.with({ layer, result: 'miss' }) }
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
