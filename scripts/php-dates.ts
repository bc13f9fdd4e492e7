import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Asks PHP what the dates of test/fixtures/php-dates.json mean, and writes its answers there. The test compares them with
 * ours and needs no PHP.
 *
 * To add a date, write it with `null` into a table (or into an exception, as `{ "php": null, "kalends": … }`), then:
 *
 *     apt-get install php-cli
 *     node scripts/php-dates.ts
 */

export const FILE = new URL('../test/fixtures/php-dates.json', import.meta.url)

/** A time with its offset from UTC, in the zone of the table; null for a refusal. */
export type Answer = string | null

interface Asked {
  readonly now: string
  readonly zone: string
}

export interface PhpDates {
  judge: string
  readonly tables: readonly (Asked & { readonly about: string; dates: Record<string, Answer> })[]
  /** Dates that Kalends reads otherwise, and why. */
  readonly exceptions: readonly (Asked & {
    readonly reason: string
    dates: Record<string, { readonly php: Answer; readonly kalends: Answer }>
  })[]
}

export function phpDates(): PhpDates {
  return JSON.parse(readFileSync(FILE, 'utf8')) as PhpDates
}

const PROGRAM = `
foreach (json_decode(stream_get_contents(STDIN)) as [$now, $zone, $text]) {
  date_default_timezone_set($zone);
  $found = strtotime($text, strtotime($now));
  $answers[] = $found === false ? null : date('c', $found);
}
echo json_encode($answers);`

function ask({ now, zone }: Asked, texts: readonly string[]): Answer[] {
  const { stdout, stderr, status } = spawnSync('php', ['-r', PROGRAM], {
    input: JSON.stringify(texts.map((text) => [now, zone, text])),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`PHP failed: ${stderr}`)
  return JSON.parse(stdout) as Answer[]
}

if (import.meta.main) {
  const data = phpDates()
  data.judge = spawnSync('php', ['-r', 'echo "PHP ", PHP_VERSION;'], { encoding: 'utf8' }).stdout
  for (const table of data.tables) {
    const texts = Object.keys(table.dates)
    const answers = ask(table, texts)
    table.dates = Object.fromEntries(texts.map((text, n) => [text, answers[n] ?? null]))
  }
  for (const exception of data.exceptions) {
    const texts = Object.keys(exception.dates)
    const answers = ask(exception, texts)
    exception.dates = Object.fromEntries(
      texts.map((text, n) => [text, { php: answers[n] ?? null, kalends: exception.dates[text]?.kalends ?? null }]),
    )
  }
  writeFileSync(FILE, `${JSON.stringify(data, null, 2)}\n`)
}
