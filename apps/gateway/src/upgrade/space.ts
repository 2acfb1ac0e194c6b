import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '#/console/refusal.ts'
import { freeBytes } from './free-bytes.ts'
import type { RecordsPlace } from './snapshot.ts'

const MEGABYTE = 1024 * 1024

export interface SpaceNeed {
  /** Where a release is placed. */
  readonly releases: string
  readonly records: RecordsPlace
  /** FLEET_GATEWAY_RELEASE_MIN_FREE_MB. */
  readonly leastMegabytes: number
}

/**
 * Refuses an upgrade that would fill a disk (SET-001). The records are copied into a snapshot and, on the way back, once more;
 * how large the dump of a PostgreSQL database becomes is known when it is there.
 */
export async function requireSpace({ releases, records, leastMegabytes }: SpaceNeed): Promise<void> {
  await requireFree(releases, leastMegabytes)
  const copies = records.url === undefined ? 2 * sizeOf(join(records.home, 'gateway.sqlite')) : 0
  await requireFree(records.home, Math.max(leastMegabytes, Math.ceil(copies / MEGABYTE)), leastMegabytes)
}

async function requireFree(path: string, megabytes: number, setting = megabytes): Promise<void> {
  const free = Math.floor((await freeBytes(path)) / MEGABYTE)
  if (free >= megabytes) return
  throw new Refusal(
    `${path} has ${free} MB free, but an upgrade requires ${megabytes} MB.`,
    free < setting
      ? 'Free some space, or lower FLEET_GATEWAY_RELEASE_MIN_FREE_MB in /etc/fleet/gateway.env.'
      : 'Free some space: the records are copied, and a rollback copies them once more.',
  )
}

const sizeOf = (database: string): number =>
  [database, `${database}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
