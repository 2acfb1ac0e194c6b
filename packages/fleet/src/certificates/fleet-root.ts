import type { Clock } from '@fleet/kernel'
import { ensureRoot, readRoot, type Root, RootUnavailable } from '@fleet/pki'
import type { Store } from '@fleet/store'
import { addRootFingerprint, findRootFingerprint, hasNodes } from '#/certificates/queries.ts'

export interface FleetRootDeps {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  /** Folder of the fleet's own authority. */
  readonly caDirectory: string
}

/**
 * The root that the records know by its fingerprint. It is created once, before there is any Node, and never replaced: what is
 * lost or another root throws RootUnavailable, which names the backup (decision 0343).
 */
export async function openFleetRoot({ store, clock, caDirectory: directory }: FleetRootDeps): Promise<Root> {
  const { db } = store
  const known = await findRootFingerprint(db)
  // An earlier release stored no fingerprint, but whoever has Nodes has a root.
  const isFirst = known === undefined && !(await hasNodes(db))
  const root = await (isFirst
    ? ensureRoot({ directory, clock, name: 'Fleet root' })
    : orNamingBackup(directory, () => readRoot(directory)))
  // Of two first starts on one database, the second finds the root of the other.
  const stored = known ?? (await addRootFingerprint(db, root.sha256))
  if (stored === root.sha256) return root
  throw unavailable(`the root certificate in ${directory} is not that of this fleet`, directory)
}

function orNamingBackup<T>(directory: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof RootUnavailable ? unavailable(error.message, directory, error) : error
  }
}

const unavailable = (reason: string, directory: string, cause?: unknown): RootUnavailable =>
  new RootUnavailable(
    `${reason}: put ca/root.crt and ca/root.key of a backup of this gateway into ${directory}`,
    { cause },
  )
