/**
 * Does some work at the same time. Waits for all of it, also if a part fails, and then throws the first error: nothing goes
 * on in a transaction that has ended.
 */
export async function together<const Parts extends readonly unknown[]>(
  parts: Parts,
): Promise<{ -readonly [K in keyof Parts]: Awaited<Parts[K]> }> {
  const outcomes = await Promise.allSettled(parts)
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }) as { -readonly [K in keyof Parts]: Awaited<Parts[K]> }
}
