import type { AgentTarget } from '#/agents/ports.ts'
import { mkdirSync, statSync } from 'node:fs'
import type { TestContext } from 'node:test'
import type { Locks } from '@fleet/store'
import {
  addNode,
  type FakeExecutable,
  fakeExecutables,
  localSession,
  nodeRecord,
  openTestStore,
  serviceHost,
  testDomains,
} from '@fleet/testing'
import { AGENT_UNIT } from '#/agents/service/agent.ts'

export const TARGET: AgentTarget = {
  url: 'https://gateway.fleet',
  address: '10.44.0.1',
  rootCertificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
}

interface ConvergeGiven {
  readonly force?: boolean
  readonly release?: FakeExecutable
  readonly locks?: Partial<Locks>
}

/** A Node that is this machine, with a root folder and a service manager of its own. */
export async function agentWorld(context: TestContext) {
  const host = serviceHost()
  const { pool, root, systemd } = host
  mkdirSync(host.at('etc/fleet'))
  host.install('setfacl', 'echo "setfacl $*" >>"$FAKE/calls"')
  const store = await openTestStore()
  const row = await addNode(store, { platform: 'linux', architecture: 'x86_64' })
  const node = nodeRecord({ ...row, user_home: host.at('user') })
  let target: AgentTarget | undefined = TARGET
  const agent = ({ release, locks }: ConvergeGiven = {}) =>
    testDomains(
      {
        store: locks ? { ...store, locks: { ...store.locks, ...locks } } : store,
        executables: fakeExecutables({ architecture: 'x86_64', ...release }),
        root,
      },
      { agentGateway: { target: () => Promise.resolve(target) } },
    ).agents.agent
  const session = localSession(pool, { node })
  context.after(async () => {
    await store[Symbol.asyncDispose]()
    host[Symbol.dispose]()
  })
  return {
    home: root,
    pool,
    node,
    systemd,
    read: host.read,
    pid: () => systemd.pid(AGENT_UNIT),
    modeOf: (path: string): number => statSync(host.at(path)).mode & 0o777,
    retarget: (given: AgentTarget | undefined) => void (target = given),
    storedHash: async () =>
      (
        await store.db
          .selectFrom('nodes')
          .select('agent_secret_hash')
          .where('id', '=', node.id)
          .executeTakeFirst()
      )?.agent_secret_hash ?? undefined,
    converge: (given: ConvergeGiven = {}) => agent(given).converge(session, { force: given.force ?? false }),
    digest: (release?: FakeExecutable) => agent(release ? { release } : {}).digest(node),
    remove: () => agent().remove(session),
  }
}
