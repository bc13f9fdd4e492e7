import { AppError } from '../lib/errors.ts'
import type { SlowCheck } from './password-attempts.ts'
import type { Scope } from './scope.ts'

/** Limit on wrong passwords per event and minute, from all addresses together. */
const MAX_WRONG = 100

/**
 * Whether a password is right for a protected event. After too many wrong ones it is refused unchecked, except a
 * password that was right before, from the same network: guessing does not lock out readers who have opened the event.
 */
export async function isRightPassword(
  { passwords, attempts, sender }: Pick<Scope, 'passwords' | 'attempts' | 'sender'>,
  event: { readonly id: number; readonly password_hash: string },
  password: string,
): Promise<boolean> {
  const { password_hash: hash } = event
  const bySender = attempts.limitsFor(sender)
  const byEvent = [{ key: `event ${event.id}`, most: MAX_WRONG }]
  const check = async (slowly: SlowCheck) => {
    const isRight = await attempts.attempt(byEvent, async (slowlyForEvent) => {
      const runBoth: SlowCheck = (verify) => slowly(() => slowlyForEvent(verify))
      return (await passwords.matches(hash, password, { purpose: 'opening', slowly: runBoth })) || null
    })
    if (isRight && sender !== undefined) passwords.rememberUse(sender.network, hash, password)
    return isRight
  }
  const isOpen = await attempts.attempt(bySender, async (slowly) => {
    if (sender !== undefined && passwords.wasUsedFrom(sender.network, hash, password)) return true
    try {
      return await check(slowly)
    } catch (error) {
      // The comparison with earlier uses from this network was a guess, too.
      if (error instanceof AppError && error.code === 'rest_too_many_requests') attempts.countWrong(bySender)
      throw error
    }
  })
  return isOpen === true
}
