import { invalid } from '@fleet/contract'
import type { Database, StoredRuntime } from '@fleet/store'
import { fitsEnvironment } from '#/processes/connections/values.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'

/**
 * Keeps what a new Process depends on until its transaction ends. Throws `database.not_found`, `database.password_unreadable`, and
 * `validation.failed` for a value that no environment holds.
 */
export async function holdConnections(
  { connections }: Pick<ProcessesDeps, 'connections'>,
  tx: Database,
  { connections: uses = [] }: Pick<StoredRuntime, 'connections'>,
): Promise<void> {
  // Whoever takes them in another order could wait for this transaction, and it for them.
  for (const slug of new Set(uses.map((use) => use.slug).toSorted())) await connections.hold(tx, slug)
  for (const use of uses) {
    const { set } = await connections.keysOf(tx, use)
    const unfit = [...set].find(([, value]) => !fitsEnvironment(value))
    if (unfit)
      throw invalid({
        connections: [
          `has ${use.slug}, whose ${unfit[0]} has a control character, which the environment of a Process cannot hold`,
        ],
      })
  }
}
