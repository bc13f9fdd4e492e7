import type { Step } from '../../src/storage/migrations/steps.ts'

/** Tells of statements what an earlier version, which goes on beside a migration, could not live with. */

/** The statements of a migration, for both databases. */
export function statementsOf(steps: readonly Step[]): string[] {
  return steps.flatMap((step) => {
    if (typeof step === 'string') return step
    return 'statement' in step ? step.statement : statementsOf([...step.sqlite, ...step.postgres])
  })
}

const NAME = String.raw`(?:if (?:not )?exists )?"?(\w+)"?`
const MADE = new RegExp(
  String.raw`^\s*create (?:or replace )?(?:virtual |unique )?(table|index|trigger|function) (?:concurrently )?${NAME}`,
  'i',
)
const DROPPED = new RegExp(String.raw`\bdrop (table|index|trigger|function|view) (?:concurrently )?${NAME}`, 'gi')
const UNIQUE = new RegExp(String.raw`^\s*create unique index ${NAME} on "?(\w+)"?`, 'i')
const RULES: readonly (readonly [why: string, pattern: RegExp])[] = [
  ['renames', /\brename\b/i],
  ['drops a column or constraint', /\bdrop (column|constraint|default|not null)\b/i],
  ['needs a value', /\badd (?:column )?(?:if not exists )?"?\w+"?(?!.*\bdefault\b).*\bnot null\b/is],
  ['changes a column', /\balter (?:column )?"?\w+"? (set not null|type|set data type)\b/i],
  ['adds a constraint', /\badd (constraint|unique|check|primary key|foreign key)\b/i],
]

/** What the migrations have made so far, such as `table events`. */
export class Made {
  readonly #names = new Set<string>()

  /** Why earlier versions cannot live with a migration; none if they can. Then counts what it makes. */
  faultsOf(steps: readonly Step[]): string[] {
    const statements = statementsOf(steps)
    const made = statements.flatMap((statement) => {
      const [, kind, name] = MADE.exec(statement) ?? []
      return kind === undefined ? [] : `${kind.toLowerCase()} ${name}`
    })
    const faults = statements.flatMap((statement) => this.#faultsOf(statement))
    for (const one of made) this.#names.add(one)
    // A trigger is changed by making it anew.
    return faults.filter((fault) => !made.some((one) => fault === `drops ${one}`))
  }

  #faultsOf(statement: string): string[] {
    const dropped = [...statement.matchAll(DROPPED)].map(([, kind = '', name]) => `${kind.toLowerCase()} ${name}`)
    const [, , table] = UNIQUE.exec(statement) ?? []
    return [
      ...dropped.filter((one) => this.#names.has(one)).map((one) => `drops ${one}`),
      ...(this.#names.has(`table ${table}`) ? [`makes ${table} unique`] : []),
      ...RULES.filter(([, pattern]) => pattern.test(statement)).map(([why]) => `${why}: ${statement.slice(0, 80)}`),
    ]
  }
}
