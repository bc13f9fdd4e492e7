/**
 * Runs a write that may call `rollBack` inside its transaction: nothing is written then, and the result is the one that
 * was given to `rollBack`.
 */
export async function withRollback<T>(write: (rollBack: (result: T) => never) => Promise<T>): Promise<T> {
  const signal = new Error('rolled back')
  let result: T | undefined
  try {
    return await write((value) => {
      result = value
      throw signal
    })
  } catch (error) {
    if (error === signal) return result as T
    throw error
  }
}
