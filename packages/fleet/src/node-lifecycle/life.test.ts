import { after } from 'node:test'
import { systemClock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import {
  answerText,
  addNode,
  fakeCall,
  type FakeNodeServices,
  fakeNodeServices,
  FINGERPRINT,
  observedReply,
  openTestStore,
  type ServicesWorld,
  scriptedPool,
} from '@fleet/testing'
import type { LifecycleDeps } from '#/node-lifecycle/api.ts'
import { makeSessions, type NodeRecord } from '#/nodes/api.ts'

/** What the lists of this folder work on: one Node after another, each with services of its own that keep what they did. */
export interface Life {
  readonly deps: LifecycleDeps
  readonly services: FakeNodeServices
  readonly call: ReturnType<typeof fakeCall>
}

/** One store for the tests of a file. */
export function life(): (services?: FakeNodeServices) => Promise<Life> {
  let opened: Promise<Store> | undefined
  after(async () => (await opened)?.[Symbol.asyncDispose]())
  return async (services = fakeNodeServices()) => {
    const store = await (opened ??= openTestStore())
    const ssh = scriptedPool()
    ssh.reply('observe the machine', observedReply())
    ssh.reply('prepare the machine', answerText({ outcome: 'prepared' }))
    const deps: LifecycleDeps = {
      store,
      clock: systemClock,
      ssh,
      sessions: makeSessions(ssh),
      services,
      placements: { pathsOn: async () => [] },
      protectedPaths: [],
      sshPublicKey: `ssh-ed25519 ${'B'.repeat(68)} gateway`,
    }
    return { deps, services, call: fakeCall() }
  }
}

/** A record of its own name, and nothing on its machine. */
export async function stranger({ deps }: Life, values: Partial<NodeRecord> = {}): Promise<NodeRecord> {
  const row = await addNode(deps.store, {
    roles: [],
    public_ssh_host: '192.0.2.7',
    public_ssh_port: 22,
    ssh_host_fingerprint: FINGERPRINT,
    architecture: 'x86_64',
    ...values,
  })
  return { ...row, activeRoles: [] }
}

/** An active Node without roles: public SSH is open on it, and it has what enrolment brings to every machine. */
export async function member(given: Life): Promise<NodeRecord> {
  const node = await stranger(given, { wireguard_public_key: 'key of a member' })
  const { world } = given.services
  world.keys.set(node.name, 'key of a member')
  const { peers, agents, exporters, lanAccess, firewallOn, publicSsh, membersAdmitted, apt } = world
  for (const set of [peers, agents, exporters, lanAccess, firewallOn, publicSsh, membersAdmitted, apt])
    set.add(node.name)
  return node
}

/** What the services have made of one machine, without its name. */
export function viewOf(world: ServicesWorld, { id, name }: Pick<NodeRecord, 'id' | 'name'>): unknown {
  const sets = Object.entries(world).flatMap(([what, set]) =>
    set instanceof Set && set.has(name) ? [what] : [],
  )
  return { sets, key: world.keys.has(name), cluster: world.members.get(id) }
}
