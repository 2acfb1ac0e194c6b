import type { InputOf, NodeData, NodeRemovalData } from '@fleet/contract'
import type { NodeLifecycle, NodesDomain } from '@fleet/fleet'
import { type Clock, systemClock } from '@fleet/kernel'
import type { DialectName, Row, Store } from '@fleet/store'
import { answerText } from './answer-text.ts'
import { type FakeCall, fakeCall } from './call.ts'
import { addNode, FINGERPRINT } from './factories.ts'
import { nodeHandlers, testDomains } from './domains.ts'
import { type FakeNodeServices, fakeNodeServices } from './node-services.ts'
import { type ScriptedPool, scriptedPool } from './scripted-pool.ts'
import { openTestStore } from './store.ts'

/** The life of Nodes over machines that answer by script and services that are fakes. */
export interface EnrolmentFleet extends AsyncDisposable {
  readonly store: Store
  readonly pool: ScriptedPool
  readonly services: FakeNodeServices
  readonly nodes: Omit<NodesDomain, 'handlers'> &
    Pick<NodeLifecycle, 'retarget' | 'pinHostKey'> & { readonly handlers: ReturnType<typeof nodeHandlers> }
  /** `node:add` of `web-1` on a machine that is well, with other members where given. */
  enroll(given?: Partial<InputOf<'node:add'>>, call?: FakeCall): Promise<NodeData>
  remove(node: number, flags?: Flags, call?: FakeCall): Promise<NodeRemovalData>
  /** The stored row by name. */
  row(name?: string): Promise<Row<'nodes'> | undefined>
  /** Enters the Node with `gateway` and `vpn`, which every other enrolment needs. */
  addHub(): Promise<Row<'nodes'>>
}

interface Flags {
  readonly force?: boolean
  readonly offline?: boolean
}

export const SSH_KEY = `ssh-ed25519 ${'B'.repeat(68)} gateway`

export async function startEnrolmentFleet(
  dialect?: DialectName,
  given: { readonly clock?: Clock } = {},
): Promise<EnrolmentFleet> {
  const store = await openTestStore(dialect ? { dialect } : {})
  const pool = scriptedPool()
  pool.reply('observe the machine', observedReply())
  pool.reply('prepare the machine', answerText({ outcome: 'prepared' }))
  const services = fakeNodeServices()
  const deps = { store, ssh: pool, clock: given.clock ?? systemClock, sshPublicKey: SSH_KEY }
  const domains = testDomains(deps, { nodeServices: services })
  const handlers = nodeHandlers(domains)
  const { retarget, pinHostKey } = domains.lifecycle
  const nodes = { ...domains.nodes, handlers, retarget, pinHostKey }
  return {
    store,
    pool,
    services,
    nodes,
    enroll: async (members, call = fakeCall({ operation: 'node:add' })) => {
      const input = { ...machine, settings: undefined, ...members }
      return (await nodes.handlers['node:add']({ call, input })).data
    },
    remove: async (node, flags = {}, call = fakeCall({ operation: 'node:remove' })) =>
      (await nodes.handlers['node:remove']({ call, input: { node, ...flags } })).data,
    row: (name = machine.name) =>
      store.db.selectFrom('nodes').selectAll().where('name', '=', name).executeTakeFirst(),
    addHub: () => addNode(store, { name: 'hub', roles: ['gateway', 'vpn'] }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

/** What a request for a new Node names at least. */
export const machine = {
  name: 'web-1',
  public_ssh_host: '192.0.2.7',
  host_key_fingerprint: FINGERPRINT,
} as const

/** What the observing script prints on a well machine, with other values where given. */
export function observedReply(given: Partial<Record<string, string>> = {}): string {
  const fields = {
    system: 'Linux',
    architecture: 'x86_64',
    user: 'fleet',
    home: '/home/fleet',
    root: 'yes',
    port: '22',
    ...given,
  }
  return answerText(fields)
}
