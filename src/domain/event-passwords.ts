import { AppError } from '../lib/errors.ts'
import type { Slowly } from './guesses.ts'
import type { Scope } from './scope.ts'

/** How many wrong passwords of one event are checked a minute, from all addresses together. */
const MAX_WRONG = 100

/**
 * Whether a password opens a protected event. When too many were wrong, it is refused unchecked, but for the very
 * password that was right before, given from the same network: guessers do not keep out those who have opened the event.
 */
export async function opens(
  { passwords, guesses, sender }: Pick<Scope, 'passwords' | 'guesses' | 'sender'>,
  event: { readonly id: number; readonly password_hash: string },
  password: string,
): Promise<boolean> {
  const { password_hash: hash } = event
  const bySender = guesses.boundsOf(sender)
  const byEvent = [{ key: `event ${event.id}`, most: MAX_WRONG }]
  const check = async (slowly: Slowly) => {
    const isRight = await guesses.attempt(byEvent, async (slowlyToo) => {
      const both: Slowly = (verify) => slowly(() => slowlyToo(verify))
      return (await passwords.matches(hash, password, { purpose: 'opening', slowly: both })) || null
    })
    if (isRight && sender !== undefined) passwords.rememberUse(sender.network, hash, password)
    return isRight
  }
  const isOpen = await guesses.attempt(bySender, async (slowly) => {
    if (sender !== undefined && passwords.wasUsedFrom(sender.network, hash, password)) return true
    try {
      return await check(slowly)
    } catch (error) {
      // It was compared with what others of the same network gave: that was a guess, too.
      if (error instanceof AppError && error.code === 'rest_too_many_requests') guesses.note(bySender)
      throw error
    }
  })
  return isOpen === true
}
