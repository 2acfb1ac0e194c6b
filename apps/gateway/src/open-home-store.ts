import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Ids, Secret } from '@fleet/kernel'
import { findRecords, makeCipher, openStore, readOrMakeAppKey, type Store, WrongKey } from '@fleet/store'
import type { GatewayOptions } from './gateway.ts'
import { holdFile } from './held-file.ts'
import { located } from './reason.ts'

interface StoreDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly gatewayId: string
}

/** Another gateway process runs on this home. Nothing was read or written. */
export class HomeInUse extends Error {
  override readonly name = 'HomeInUse'
}

/** The gateway has its records in SQLite, and was given a PostgreSQL database without any. Nothing was written there. */
export class RecordsLeftBehind extends Error {
  override readonly name = 'RecordsLeftBehind'
  constructor(file: string) {
    super(
      `${file} contains the records of this gateway, and the database at FLEET_DATABASE_URL contains none; they cannot be taken there: remove FLEET_DATABASE_URL, or move ${file} away to begin without records`,
    )
  }
}

/**
 * The store of the process that listens, which alone may have it under the id of the gateway: opening it ends the locks and the
 * leases of that id, as those of a killed predecessor. Held until it is disposed of. Throws HomeInUse and what `openHomeStore` throws.
 */
export async function openOwnStore(options: HomeOptions, deps: StoreDeps): Promise<Store> {
  const held = holdFile(join(options.home, 'gateway.lock'))
  if (!held) throw new HomeInUse(`another gateway process is running on ${options.home}`)
  try {
    const store = await openHomeStore(options, deps)
    const close = async (): Promise<void> => {
      await store[Symbol.asyncDispose]()
      held[Symbol.dispose]()
    }
    return { ...store, [Symbol.asyncDispose]: close }
  } catch (error) {
    held[Symbol.dispose]()
    throw error
  }
}

type HomeOptions = Pick<GatewayOptions, 'home' | 'databaseUrl' | 'appKey'>

/** Opens the database of a home under its application key, which the first start makes. Throws WrongKey, AppKeyInvalid, AppKeyFileRefused, RecordsLeftBehind, or an error that names the database. */
export async function openHomeStore(
  { home, databaseUrl: url, appKey }: HomeOptions,
  deps: StoreDeps,
): Promise<Store> {
  const file = join(home, 'gateway.sqlite')
  const keyFile = join(home, 'app.key')
  const isFresh = !appKey && !existsSync(keyFile)
  // A database without its key would be lost to a fresh one.
  const mayMake = url !== undefined || !existsSync(file)
  const key = readOrMakeAppKey({ fromEnvironment: appKey, file: keyFile, mayMake })
  try {
    if (url !== undefined && existsSync(file)) await requireRecords({ url, key, file }, deps)
    const place = url === undefined ? file : OF_URL
    return await openStore({ ...deps, key, ...(url === undefined ? { file } : { url }) }).catch(
      located(place),
    )
  } catch (error) {
    // The key just made is not that of this database: left behind, it would block the right one.
    if (isFresh && (error instanceof WrongKey || error instanceof RecordsLeftBehind)) rmSync(keyFile)
    throw error
  }
}

const OF_URL = 'the database at FLEET_DATABASE_URL'

async function requireRecords(
  { url, key, file }: { readonly url: string; readonly key: Secret; readonly file: string },
  { ids }: StoreDeps,
): Promise<void> {
  const records = await findRecords(url, makeCipher(key, ids)).catch(located(OF_URL))
  if (!records) throw new RecordsLeftBehind(file)
}
