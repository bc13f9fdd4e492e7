import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../lib/errors.ts'
import type { Database } from '../storage/database.ts'
import { withRollback } from '../storage/rollback.ts'
import { type Outcomes, type Part, runInOneTransaction } from '../storage/shared-transaction.ts'

/** An answer, with its body as JSON text. */
export interface BatchAnswer {
  readonly status: number
  readonly json: Buffer
}

export type BatchPart = Part<BatchAnswer>

export interface BatchOutcome {
  readonly answers: readonly BatchAnswer[]
  /** Set if a request of an atomic batch was refused: then nothing is written. */
  readonly isRolledBack: boolean
}

export interface BatchOptions {
  readonly atomic: boolean
  /** The answer to an error; throws if it fails the whole batch. */
  readonly answerTo: (error: unknown) => BatchAnswer
}

/**
 * Runs requests in order, all of their writes in one transaction. If `atomic` and one is refused, nothing is written; all
 * others are then answered with 424, so that every problem is known.
 */
export async function runBatch(
  db: Database,
  parts: readonly BatchPart[],
  { atomic, answerTo }: BatchOptions,
): Promise<BatchOutcome> {
  const outcomeOf = (answers: readonly BatchAnswer[]): BatchOutcome => {
    if (!atomic || !answers.some(isRefused)) return { answers, isRolledBack: false }
    const undone = () => answerTo(new AppError('rest_batch_rolled_back'))
    return { answers: answers.map((answer) => (isRefused(answer) ? answer : undone())), isRolledBack: true }
  }
  if (parts.every(({ waits }) => waits)) {
    const answers: BatchAnswer[] = []
    for (const { run } of parts) {
      answers.push(await run(db).catch(answerTo))
      await nextTurn()
    }
    return outcomeOf(answers)
  }
  return withRollback(async (rollBack) => {
    const read = (outcomes: Outcomes<BatchAnswer>) => outcomeOf(outcomes.map((outcome) => attempt(outcome, answerTo)))
    return read(
      await runInOneTransaction(db, parts, async (_, outcomes) => {
        const outcome = read(outcomes)
        if (outcome.isRolledBack) rollBack(outcome)
      }),
    )
  })
}

function isRefused({ status }: BatchAnswer): boolean {
  return status >= 400
}

function attempt(outcome: () => BatchAnswer, answerTo: (error: unknown) => BatchAnswer): BatchAnswer {
  try {
    return outcome()
  } catch (error) {
    return answerTo(error)
  }
}
