import type { AgentTarget } from '#/agents/ports.ts'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { systemClock, systemIds } from '@fleet/kernel'
import type { Locks } from '@fleet/store'
import {
  addNode,
  type FakeExecutable,
  fakeExecutables,
  fakeSystemd,
  localPool,
  localSession,
  nodeRecord,
  openTestStore,
} from '@fleet/testing'
import { AGENT_UNIT } from '#/agents/service/agent.ts'
import { makeConverge, makeDigest, makeRemove } from '#/agents/service/converge.ts'

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
  const home = mkdtempSync(join(tmpdir(), 'fleet agent-'))
  const systemd = fakeSystemd(home)
  mkdirSync(join(home, 'etc/fleet'))
  writeFileSync(join(home, 'fake/setfacl'), '#!/bin/sh\necho "setfacl $*" >>"$FAKE/calls"\n', { mode: 0o755 })
  const pool = localPool({ home, env: systemd.env })
  const store = await openTestStore()
  const row = await addNode(store, { platform: 'linux', architecture: 'x86_64' })
  const node = nodeRecord({ ...row, user_home: join(home, 'user') })
  let target: AgentTarget | undefined = TARGET
  const parts = ({ release, locks }: ConvergeGiven = {}) => ({
    store: locks ? { ...store, locks: { ...store.locks, ...locks } } : store,
    clock: systemClock,
    ids: systemIds,
    executables: fakeExecutables({ architecture: 'x86_64', ...release }),
    gateway: { target: () => Promise.resolve(target) },
    root: home,
  })
  const session = localSession(pool, { node })
  const read = (path: string): string | undefined =>
    existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : undefined
  context.after(async () => {
    systemd.end()
    await store[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  })
  return {
    home,
    pool,
    node,
    systemd,
    read,
    pid: () => systemd.pid(AGENT_UNIT),
    modeOf: (path: string): number => statSync(join(home, path)).mode & 0o777,
    retarget: (given: AgentTarget | undefined) => void (target = given),
    storedHash: async () =>
      (
        await store.db
          .selectFrom('nodes')
          .select('agent_secret_hash')
          .where('id', '=', node.id)
          .executeTakeFirst()
      )?.agent_secret_hash ?? undefined,
    converge: (given: ConvergeGiven = {}) =>
      makeConverge(parts(given))(session, { force: given.force ?? false }),
    digest: (release?: FakeExecutable) => makeDigest(parts(release ? { release } : {}))(node),
    remove: () => makeRemove(parts())(session),
  }
}
