import type { Way } from '../schema/audit.ts'
import { actingAs } from '../storage/audit/acting.ts'
import type { User } from './access.ts'
import type { Scope } from './scope.ts'

/** Who writes: a user, and the address that they write from. */
export interface Writer {
  readonly user?: Pick<User, 'id' | 'name'> | null
  readonly address?: string | null
}

/** A scope whose writes are logged as done in a way, by a writer; what is not said stays as the scope has it. */
export function acting<S extends Pick<Scope, 'db' | 'clock'>>(scope: S, way: Way, writer: Writer = {}): S {
  return { ...scope, db: actingAs(scope.db, { ...writer, way, clock: scope.clock }) }
}

/** The same scope, whose changes are an entry of the log by themselves. */
export function apart<S extends Pick<Scope, 'db'>>(scope: S): S {
  return { ...scope, db: actingAs(scope.db, { isApart: true }) }
}
