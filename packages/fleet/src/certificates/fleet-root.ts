import type { Clock } from '@fleet/kernel'
import { ensureRoot, readRoot, renewRoot, type Root, RootUnavailable } from '@fleet/pki'
import type { Store } from '@fleet/store'
import {
  addRootFingerprint,
  addRootKey,
  findRootFingerprint,
  findRootKey,
  hasNodes,
  setRootFingerprint,
} from '#/certificates/queries.ts'

export interface FleetRootDeps {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  /** Folder of the fleet's own authority. */
  readonly caDirectory: string
}

/**
 * The root that the records know by its fingerprint, or by its key after a renewal. It is created once, before there is any Node,
 * and never replaced: what is lost or another root throws RootUnavailable, which names the backup (decisions 0343, 0348).
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
  const knownKey = await findRootKey(db)
  // A renewal that was cut off has replaced the file only, and an older backup has the root before it: both have the key.
  if (stored !== root.sha256 && knownKey !== root.keySha256)
    throw unavailable(`the root certificate in ${directory} is not that of this fleet`, directory)
  if (knownKey === undefined) await addRootKey(db, root.keySha256)
  if (stored !== root.sha256) await setRootFingerprint(db, root.sha256)
  return root
}

/**
 * Gives the root of the fleet ten more years, with the same key. First the records know the key, then the file is replaced, then they
 * know the fingerprint: what is cut off in between is finished by whoever opens the root next. Throws RootUnavailable.
 */
export async function renewFleetRoot(deps: FleetRootDeps): Promise<Root> {
  await openFleetRoot(deps)
  await renewRoot({ directory: deps.caDirectory, clock: deps.clock })
  return openFleetRoot(deps)
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
