import { PassThrough } from 'node:stream'
import {
  addNode,
  asCaller,
  fakeCall,
  fakeDatabases,
  type FakeDatabases,
  openTestStore,
  scriptedPool,
  type ScriptedPool,
  testDomains,
} from '@fleet/testing'
import type { Row, Store } from '@fleet/store'
import type { Address, DatabasesDomain } from '#/databases/api.ts'

/** The domain over engines in memory, Nodes that answer what a test says, and the gateway's own network. */
export interface InspectionWorld extends AsyncDisposable {
  readonly store: Store
  readonly databases: DatabasesDomain
  readonly access: FakeDatabases
  readonly pool: ScriptedPool
  readonly node: Row<'nodes'>
  readonly gateway: Row<'nodes'>
  /** `host:port` of every socket of the gateway's own network. */
  readonly dialed: string[]
  call(): ReturnType<typeof fakeCall>
}

export async function startInspectionWorld(): Promise<InspectionWorld> {
  const store = await openTestStore()
  const gateway = await addNode(store, { roles: ['gateway'] })
  const node = await addNode(store, { name: 'web-1' })
  const [access, pool] = [fakeDatabases(), scriptedPool()]
  const dialed: string[] = []
  const dial = async ({ host, port }: Address) => {
    dialed.push(`${host}:${port}`)
    return new PassThrough()
  }
  const { databases } = testDomains({ store, ssh: pool, engines: { access, dial } })
  return {
    store,
    databases,
    access,
    pool,
    node,
    gateway,
    dialed,
    call: () => fakeCall({ caller: asCaller(gateway, true) }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

export const PASSWORD = 'canary-Pa55word'

/** Registers a connection of the driver: with everything that it needs, unless given otherwise. */
export async function register(
  { databases, call }: InspectionWorld,
  driver: 'pgsql' | 'mysql' | 'sqlite' | 'redis',
  given: { readonly node_id?: number; readonly host?: string } = {},
): Promise<string> {
  const login = { host: 'db.internal', database: 'shop', username: 'reader', password: PASSWORD }
  const fields = driver === 'sqlite' ? { path: '/srv/a.sqlite' } : driver === 'redis' ? { host: 'c' } : login
  const input = { slug: `the-${driver}`, driver, ...fields, ...given }
  return (await databases.handlers['database:create']({ call: call(), input })).data.slug
}
