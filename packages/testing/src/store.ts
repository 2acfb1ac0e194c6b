import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, type Ids, Secret, systemClock, systemIds } from '@fleet/kernel'
import { openStore, type Store } from '@fleet/store'

export const TEST_APP_KEY = new Secret(`base64:${Buffer.alloc(32, 7).toString('base64')}`)

export interface TestStoreOptions {
  readonly clock?: Clock
  readonly ids?: Ids
}

/** A store of its own for one test. `await using` removes it. */
export async function openTestStore(options: TestStoreOptions = {}): Promise<Store> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-store-'))
  const store = await openStore({
    file: join(directory, 'gateway.sqlite'),
    key: TEST_APP_KEY,
    clock: options.clock ?? systemClock,
    ids: options.ids ?? systemIds,
    gatewayId: 'test-gateway',
  })
  const dispose = async (): Promise<void> => {
    await store[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true })
  }
  return { ...store, [Symbol.asyncDispose]: dispose }
}
