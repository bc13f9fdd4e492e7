import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Role } from '../../src/domain/access.ts'
import fc from '../support/property.ts'
import { WrittenSite, write } from '../support/random-writes.ts'
import { Copy, compareWithTruth, readAll } from '../support/replica-of-changes.ts'
import type { Service } from '../support/service.ts'

const READERS = [null, 'contributor', 'author', 'editor'] as const
const step = fc.record({ write, follower: fc.option(fc.constantFrom(...READERS), { nil: undefined }) })

describe('a client that applies changes', () => {
  it('has what a full read shows, for every reader, whatever is written', async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 60 }), async (steps) => {
        const site = await WrittenSite.start()
        try {
          const copies = new Map(READERS.map((role) => [role, new Copy(site.service, role, { per_page: 3 })]))
          for (const one of steps) {
            await site.write(one.write)
            if (one.follower !== undefined) await copies.get(one.follower)?.follow()
          }
          for (const [role, copy] of copies) {
            await compareWithTruth(site.service, role, copy)
            await compareWithLists(site.service, role, copy)
          }
        } finally {
          await site.service.close()
        }
      }),
      { numRuns: 12, endOnFailure: true },
    )
    t.diagnostic('12 histories of up to 60 writes')
  })
})

/** Compares the ids of a copy with those of all lists. */
async function compareWithLists(service: Service, role: Role | null, copy: Copy): Promise<void> {
  const all = await readAll(service, role)
  // Lists hide some events from everybody, and show the titles of protected ones: changes tell of both to editors alone.
  const special = await service.db.read((tx) =>
    tx
      .selectFrom('events')
      .select('id')
      .where('status', '!=', 'trash')
      .where((eb) => eb.or([eb('hide_from_listings', '=', 1), eb('password_hash', 'is not', null)]))
      .execute(),
  )
  for (const { id } of special)
    if (role === 'editor') all.set(`event ${id}`, null)
    else all.delete(`event ${id}`)
  assert.deepEqual([...copy.records.keys()].sort(), [...all.keys()].sort(), `the records that ${role} sees`)
}
