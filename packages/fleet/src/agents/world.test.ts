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
  localSession,
  localPool,
  nodeRecord,
  openTestStore,
} from '@fleet/testing'
import { makeConverge } from '#/agents/converge.ts'
import { makeDigest } from '#/agents/digest.ts'
import type { AgentTarget } from '#/agents/files.ts'
import { makeRemove } from '#/agents/remove.ts'

/** A service manager for one unit, whose program is a sleeping process that says at once that it is ready. */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >>"$FAKE/calls"
stop() { [ ! -s "$FAKE/pid" ] || kill "$(cat "$FAKE/pid")"; rm -f "$FAKE/pid"; }
start() {
  [ ! -e "$FAKE/broken" ] || exit 1
  setsid sleep 300 </dev/null >/dev/null 2>&1 &
  echo "$!" >"$FAKE/pid"
  mkdir -p "$FAKE/run"
  echo "$! $(sed -n 's/^ExecStart=.*--configuration=//p' "$FAKE/units/fleet-agent.service")" >"$FAKE/run/ready"
}
case $1 in
  show) cat "$FAKE/pid" || echo 0 ;;
  is-enabled) if [ -e "$FAKE/enabled" ]; then echo enabled; else echo disabled; fi ;;
  enable) touch "$FAKE/enabled" ;;
  disable) rm -f "$FAKE/enabled"; stop ;;
  restart) stop; start ;;
  start) [ -s "$FAKE/pid" ] || start ;;
esac
`

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

/** A Node that is this machine, with places and a service manager of its own. */
export async function agentWorld(context: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'fleet agent-'))
  const bin = join(home, 'fake')
  mkdirSync(join(home, 'units'))
  mkdirSync(bin)
  writeFileSync(join(bin, 'systemctl'), SYSTEMCTL, { mode: 0o755 })
  writeFileSync(join(bin, 'setfacl'), '#!/bin/sh\necho "setfacl $*" >>"$FAKE/calls"\n', { mode: 0o755 })
  const pool = localPool({ home, env: { PATH: `${bin}:/usr/bin:/bin`, FAKE: home } })
  const store = await openTestStore()
  const row = await addNode(store, { platform: 'linux', architecture: 'x86_64' })
  const node = nodeRecord({ ...row, user_home: join(home, 'user') })
  const places = {
    executable: { directory: join(home, 'opt/fleet/bin'), link: join(home, 'usr/bin/fleet') },
    agent: {
      home: join(home, 'etc/fleet/agent'),
      unitDirectory: join(home, 'units'),
      runtime: join(home, 'run'),
    },
  }
  let target: AgentTarget | undefined = TARGET
  const parts = ({ release, locks }: ConvergeGiven = {}) => ({
    store: locks ? { ...store, locks: { ...store.locks, ...locks } } : store,
    clock: systemClock,
    ids: systemIds,
    executables: fakeExecutables({ architecture: 'x86_64', ...release }),
    gateway: { target: () => Promise.resolve(target) },
    places,
  })
  const machine = localSession(pool, { node })
  const read = (path: string): string | undefined =>
    existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : undefined
  const pid = (): string | undefined => read('pid')?.trim()
  context.after(async () => {
    if (pid()) process.kill(Number(pid()))
    await store[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  })
  return {
    home,
    pool,
    node,
    machine,
    read,
    pid,
    modeOf: (path: string): number => statSync(join(home, path)).mode & 0o777,
    calls: (): readonly string[] => read('calls')?.split('\n').filter(Boolean) ?? [],
    break: () => writeFileSync(join(home, 'broken'), ''),
    mend: () => rmSync(join(home, 'broken')),
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
      makeConverge(parts(given))(machine, { force: given.force ?? false }),
    digest: (release?: FakeExecutable) => makeDigest(parts(release ? { release } : {}))(node),
    remove: () => makeRemove(parts())(machine),
  }
}
