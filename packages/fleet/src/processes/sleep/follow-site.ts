import type { Database } from '@fleet/store'
import type { ProcessesDeps } from '#/processes/deps.ts'
import type { ProcessOwner, ProcessRow } from '#/processes/record.ts'

/** Work that publishes the sites of a Node anew. */
export const SITE_FOLLOWS = 'hibernation:site'

/** The site of an Instance wakes it from its first Process that may sleep to its last: it follows with the change itself. */
export async function followSite(
  { store, clock }: Pick<ProcessesDeps, 'store' | 'clock'>,
  db: Database,
  { owner, keep_alive }: { readonly owner: ProcessOwner } & Pick<ProcessRow, 'keep_alive'>,
): Promise<void> {
  if (keep_alive === 1 || owner.instance?.environment !== 'development') return
  const node_id = owner.node.id
  const work = { kind: SITE_FOLLOWS, key: String(node_id), payload: { node_id }, dueAt: clock.now() }
  await store.work.add(work, db)
}
