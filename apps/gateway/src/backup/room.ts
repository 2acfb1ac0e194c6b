import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { systemIds } from '@fleet/kernel'
import {
  findRecords,
  type HeldRecords,
  makeCipher,
  readOrMakeAppKey,
  RecordsInTheWay,
  restoreInto,
} from '@fleet/store'
import { PLACES } from '#/console/places.ts'
import { Refusal } from '#/console/refusal.ts'
import { messageOf } from '#/reason.ts'
import { DUMP } from './contents.ts'
import { restoredEnv } from './settings.ts'

const SET_URL = `Write FLEET_DATABASE_URL of an empty database into ${PLACES.settings}, then run the same command again.`

/** A restoration as far as it concerns a database. */
export interface Restoration {
  /** Unpacked, with the settings that hold. */
  readonly folder: string
  /** The same at each attempt, and of no other restoration. */
  readonly id: string
  /** The records are those that the database has. */
  readonly keepRecords: boolean
}

/**
 * Refuses, before anything is placed, a database with records that would be lost, and one without those that are to be kept. A
 * backup that has its records in a file needs none, and is refused with one.
 */
export async function requireRoom(restoration: Restoration): Promise<void> {
  const { folder, id, keepRecords } = restoration
  if (!existsSync(join(folder, DUMP))) {
    if (keepRecords)
      throw new Refusal('The backup is of a gateway without a PostgreSQL database, so there is none to keep.')
    requireNoUrl(folder)
    return
  }
  const held = await heldOrRefuse(restoration)
  if (keepRecords) requireKept(held)
  else if (held && held.restoration !== id) throw inTheWay(held)
}

/** Puts the records of the backup into the database, unless it has those that are kept. */
export async function restoreDump({ folder, id, keepRecords }: Restoration): Promise<void> {
  const dump = join(folder, DUMP)
  if (!existsSync(dump) || keepRecords) return
  const url = urlOf(folder)
  await using file = await open(dump)
  try {
    await restoreInto(url, file.readLines(), id)
  } catch (error) {
    throw error instanceof RecordsInTheWay ? inTheWay(undefined) : notRestored(error)
  }
}

async function heldOrRefuse({ folder }: Restoration): Promise<HeldRecords | undefined> {
  const url = urlOf(folder)
  const fromEnvironment = restoredEnv(folder).APP_KEY
  const key = readOrMakeAppKey({ fromEnvironment, file: join(folder, 'home/app.key'), mayMake: false })
  try {
    return await findRecords(url, makeCipher(key, systemIds))
  } catch (error) {
    throw notRestored(error)
  }
}

function urlOf(folder: string): string {
  const { FLEET_DATABASE_URL: url } = restoredEnv(folder)
  if (url !== undefined) return url
  throw new Refusal(
    'The backup contains the records of a PostgreSQL database, but FLEET_DATABASE_URL is not set.',
    SET_URL,
  )
}

/** Records of SQLite are restored to a file, which a gateway with a database would not look at. */
function requireNoUrl(folder: string): void {
  if (restoredEnv(folder).FLEET_DATABASE_URL === undefined) return
  throw new Refusal(
    'The backup contains the records of a gateway on SQLite, which cannot be restored to the database at FLEET_DATABASE_URL.',
    `Remove FLEET_DATABASE_URL from ${PLACES.settings}, then run the same command again.`,
  )
}

function requireKept(held: HeldRecords | undefined): void {
  if (!held) throw new Refusal('The database at FLEET_DATABASE_URL contains no records that could be kept.')
  if (!held.isOfKey) throw inTheWay(held)
  if (!held.isReadable)
    throw new Refusal(
      'The records in the database at FLEET_DATABASE_URL are of a newer version than this release.',
      'Run ./install of the release that the gateway had last.',
    )
}

const inTheWay = (held: HeldRecords | undefined): Refusal =>
  held?.isOfKey
    ? new Refusal(
        'The database at FLEET_DATABASE_URL already contains the records of this gateway, which may be newer than the backup.',
        `To keep them and restore everything else, add --keep-records. To restore those of the backup: ${SET_URL}`,
      )
    : new Refusal('The database at FLEET_DATABASE_URL contains the records of another gateway.', SET_URL)

const notRestored = (error: unknown): Refusal =>
  new Refusal(
    `The records could not be restored to the database at FLEET_DATABASE_URL: ${messageOf(error)}. The database is unchanged.`,
    `Create the empty database and its user, or set another FLEET_DATABASE_URL in ${PLACES.settings}, then run the same command again.`,
    error,
  )
