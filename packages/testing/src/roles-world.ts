import type { InputOf, RoleName } from '@fleet/contract'
import type { DialectName, Row, Store } from '@fleet/store'
import type { Domains, NodeLifecycle, RoleHandlers } from '@fleet/fleet'
import { run } from '@fleet/shell'
import { type FakeCall, fakeCall } from './call.ts'
import { FakeClock } from './clock.ts'
import { testDomains } from './domains.ts'
import { addNode } from './factories.ts'
import { type LocalPool, localPool } from './local-pool.ts'
import { type FakeNodeServices, fakeNodeServices } from './node-services.ts'
import { openTestStore } from './store.ts'

/** Three Nodes as rows, services that a test breaks, and the handlers over them. `gateway` holds `gateway` and `vpn`. */
export interface RolesWorld extends AsyncDisposable {
  readonly store: Store
  readonly clock: FakeClock
  readonly services: FakeNodeServices
  readonly domains: Domains
  readonly handlers: RoleHandlers
  readonly gateway: Row<'nodes'>
  readonly web: Row<'nodes'>
  readonly spare: Row<'nodes'>
  readonly calls: FakeCall[]
  /** Where the commands of the Nodes run. */
  readonly pool: LocalPool
  /** The same without the preparation of the managed user. */
  readonly ssh: LocalPool
  add(role: RoleName, further?: Partial<InputOf<'node:role:add'>>): ReturnType<RoleHandlers['node:role:add']>
  remove(
    role: RoleName,
    further?: Partial<InputOf<'node:role:remove'>>,
  ): ReturnType<RoleHandlers['node:role:remove']>
  relocate(
    role: RoleName,
    further?: Partial<InputOf<'node:role:relocate'>>,
  ): ReturnType<RoleHandlers['node:role:relocate']>
  converge(force?: boolean): ReturnType<NodeLifecycle['handlers']['node:converge']>
  /** `node role status failed_step error_code` of every assignment, by Node and id. */
  roles(): Promise<string[]>
}

export interface RolesWorldOptions {
  readonly dialect?: DialectName
  /** What the handlers see of the store, for deaths and locks that a test decides. */
  readonly through?: (store: Store) => Store
}

export async function startRolesWorld({ dialect, through }: RolesWorldOptions = {}): Promise<RolesWorld> {
  const clock = new FakeClock()
  const store = await openTestStore({ clock, ...(dialect ? { dialect } : {}) })
  const gateway = await addNode(store, { name: 'gateway', roles: ['gateway', 'vpn'] })
  const web = await addNode(store, { name: 'web', roles: [], tld: 'web.test' })
  const spare = await addNode(store, { name: 'spare', roles: [] })
  const services = fakeNodeServices()
  const pool = localPool({ home: '/' })
  const ssh = withoutPreparing(pool)
  const domains = testDomains(
    { store: through ? through(store) : store, clock, ssh },
    { nodeServices: services },
  )
  const { roleHandlers: handlers, lifecycle } = domains
  const calls: FakeCall[] = []
  const call = (): FakeCall => calls[calls.push(fakeCall()) - 1] ?? fakeCall()
  return {
    store,
    clock,
    services,
    domains,
    handlers,
    gateway,
    web,
    spare,
    calls,
    pool,
    ssh,
    add: (role, further) =>
      handlers['node:role:add']({ call: call(), input: { node: web.id, role, ...further } }),
    remove: (role, further) =>
      handlers['node:role:remove']({ call: call(), input: { node: web.id, role, ...further } }),
    relocate: (role, further) =>
      handlers['node:role:relocate']({ call: call(), input: { node: web.id, role, ...further } }),
    converge: (force) =>
      lifecycle.handlers['node:converge']({
        call: call(),
        input: { node: web.id, ...(force === undefined ? {} : { force }) },
      }),
    roles: async () => {
      const nodes = new Map([gateway, web, spare].map(({ id, name }) => [id, name]))
      return (
        await store.db.selectFrom('node_roles').selectAll().orderBy('node_id').orderBy('id').execute()
      ).map((row) =>
        [nodes.get(row.node_id), row.role, row.status, row.failed_step, row.error_code]
          .filter((part) => part !== null)
          .join(' '),
      )
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

/** The commands of Nodes run here, but no test installs packages on this machine or makes users. */
const withoutPreparing = (pool: LocalPool): LocalPool => ({
  ...pool,
  run: (target, command, options) =>
    pool.run(
      target,
      command.shown.includes("'prepare the machine'") ? run('printf', 'outcome 9\\nunchanged\\n') : command,
      options,
    ),
})

/** The code of what it throws, and its details. */
export async function refusalOf(
  work: Promise<unknown>,
): Promise<{ code: unknown; message: unknown; details: Record<string, unknown> }> {
  try {
    await work
  } catch (error) {
    const { code, message, details } = error as {
      code: unknown
      message: unknown
      details?: Record<string, unknown>
    } // The handlers throw coded errors.
    return { code, message, details: details ?? {} }
  }
  throw new Error('it did not fail')
}
