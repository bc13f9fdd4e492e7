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
): Promise<readonly BatchAnswer[]> {
  const read = (outcomes: Outcomes<BatchAnswer>) => outcomes.map((outcome) => attempt(outcome, answerTo))
  if (parts.every(({ waits }) => waits)) {
    const answers: BatchAnswer[] = []
    for (const { run } of parts) {
      answers.push(await run(db).catch(answerTo))
      await nextTurn()
    }
    return answers
  }
  return withRollback(async (rollBack) =>
    read(
      await runInOneTransaction(db, parts, async (_, outcomes) => {
        const answers = read(outcomes)
        const undone = () => answerTo(new AppError('rest_batch_rolled_back'))
        if (atomic && answers.some(isRefused))
          rollBack(answers.map((answer) => (isRefused(answer) ? answer : undone())))
      }),
    ),
  )
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
