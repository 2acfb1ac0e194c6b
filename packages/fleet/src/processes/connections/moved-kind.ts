import type { Clock } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import * as z from 'zod'
import type { ConnectionDependents } from '#/processes/connections/dependents.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

const FOLLOW = 'process:follow-connection'

/** Added in the transaction of a change that waits for no Process, such as the move of a SQLite file with its Instance. */
export async function followLater(
  { store, clock }: { readonly store: Pick<Store, 'work'>; readonly clock: Clock },
  db: Database,
  connection: { readonly id: number; readonly slug: string },
): Promise<void> {
  const { id, slug } = connection
  await store.work.add({ kind: FOLLOW, key: slug, payload: { id, slug }, dueAt: clock.now() }, db)
}

export const followKind = ({ follow }: ConnectionDependents): WorkKind =>
  workKind({
    name: FOLLOW,
    payload: z.strictObject({ id: z.int(), slug: z.string() }),
    run: async (call, { id, slug }) => {
      call.note.subject('database_connection', id)
      await follow(call, { id, slug, isChanged: true })
    },
  })
