import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Ids } from '@fleet/kernel'
import { openStore, readOrMakeAppKey, type Store, WrongKey } from '@fleet/store'
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

/** Opens the database of a home under its application key, which the first start makes. Throws WrongKey, AppKeyInvalid, AppKeyFileRefused, or an error that names the database. */
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
