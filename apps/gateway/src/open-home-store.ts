import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Ids } from '@fleet/kernel'
import { openStore, readOrMakeAppKey, type Store, WrongKey } from '@fleet/store'
import type { GatewayOptions } from './gateway.ts'
import { located } from './reason.ts'

interface StoreDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly gatewayId: string
}

/** Opens the database of a home under its application key, which the first start makes. Throws WrongKey, AppKeyInvalid, AppKeyFileRefused, or an error that names the database. */
export async function openHomeStore(
  { home, databaseUrl: url, appKey }: Pick<GatewayOptions, 'home' | 'databaseUrl' | 'appKey'>,
  deps: StoreDeps,
): Promise<Store> {
  const file = join(home, 'gateway.sqlite')
  const keyFile = join(home, 'app.key')
  const isFresh = !appKey && !existsSync(keyFile)
  // A database without its key would be lost to a fresh one.
  const mayMake = url !== undefined || !existsSync(file)
  const key = readOrMakeAppKey({ fromEnvironment: appKey, file: keyFile, mayMake })
  try {
    const place = url === undefined ? file : 'the database at FLEET_DATABASE_URL'
    return await openStore({ ...deps, key, ...(url === undefined ? { file } : { url }) }).catch(
      located(place),
    )
  } catch (error) {
    // The key just made is not that of this database: left behind, it would block the right one.
    if (isFresh && error instanceof WrongKey) rmSync(keyFile)
    throw error
  }
}
