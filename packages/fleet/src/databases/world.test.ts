import type { InputOf } from '@fleet/contract'
import { addNode, asCaller, fakeCall, type FakeCall, openTestStore, testDomains } from '@fleet/testing'
import type { DatabasesDomain } from '#/databases/api.ts'
import type { DialectName, Row, Store } from '@fleet/store'

/** The domain over a store of its own, with one Node that is the gateway and calls. */
export interface World extends AsyncDisposable {
  readonly store: Store
  readonly databases: DatabasesDomain
  readonly gateway: Row<'nodes'>
  readonly call: () => FakeCall
}

export async function startWorld(dialect?: DialectName): Promise<World> {
  const store = await openTestStore(dialect ? { dialect } : {})
  const gateway = await addNode(store, { roles: ['gateway'] })
  const { databases } = testDomains({ store })
  return {
    store,
    databases,
    gateway,
    call: () => fakeCall({ caller: asCaller(gateway, true) }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

export const PASSWORD = 'canary-Pa55word'

/** The smallest registration of each driver. */
export const REGISTRATIONS = {
  mysql: {
    slug: 'my',
    driver: 'mysql',
    host: 'a.internal',
    database: 'shop',
    username: 'reader',
    password: PASSWORD,
  },
  pgsql: {
    slug: 'pg',
    driver: 'pgsql',
    host: '10.0.0.9',
    database: 'shop',
    username: 'reader',
    password: PASSWORD,
  },
  sqlite: { slug: 'lite', driver: 'sqlite', path: '/srv/shop/database.sqlite' },
  redis: { slug: 'cache', driver: 'redis', host: '::1' },
} as const satisfies Record<string, InputOf<'database:create'>>

export const create = (world: World, input: InputOf<'database:create'>, call = world.call()) =>
  world.databases.handlers['database:create']({ call, input })

export const show = async (world: World, slug: string) =>
  (await world.databases.handlers['database:show']({ call: world.call(), input: { slug } })).data
