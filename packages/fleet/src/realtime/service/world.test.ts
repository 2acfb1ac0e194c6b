import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { ensureRoot } from '@fleet/pki'
import {
  addNode,
  addRole,
  type FakeExecutable,
  FakeClock,
  fakeCall,
  fakeExecutables,
  type LocalPool,
  localSession,
  localPool,
  nodeRecord,
  type startNodesFleet,
  startNodesFleet as start,
} from '@fleet/testing'
import { makeCertificates } from '#/certificates/api.ts'
import type { Machine } from '#/nodes/api.ts'
import {
  makeRealtime,
  makeWebsocketService,
  type RealtimeServer,
  WEBSOCKET_PORT,
  type WebsocketService,
} from '#/realtime/api.ts'

/** A service manager for one unit, whose program is a sleeping process that says at once that it is ready. */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >>"$FAKE/calls"
unit=$FAKE/units/fleet-websocket.service
stop() { [ ! -s "$FAKE/pid" ] || kill "$(cat "$FAKE/pid")"; rm -rf "$FAKE/pid" "$FAKE/run"; }
start() {
  [ ! -e "$FAKE/broken" ] && [ -s "$unit" ] || exit 1
  setsid sleep 300 </dev/null >/dev/null 2>&1 &
  echo "$!" >"$FAKE/pid"
  mkdir -p "$FAKE/run"
  echo "$! $(sed -n 's/^ExecStart=.*--configuration=//p' "$unit")" >"$FAKE/run/ready"
}
case $1 in
  show) cat "$FAKE/pid" || echo 0 ;;
  -q) [ -e "$FAKE/enabled" ] ;;
  enable) [ -s "$unit" ] && touch "$FAKE/enabled" ;;
  disable) [ ! -e "$FAKE/stuck" ] || exit 1; rm -f "$FAKE/enabled"; stop ;;
  restart) stop; start ;;
  try-reload-or-restart) [ ! -s "$FAKE/pid" ] || echo reloaded >>"$FAKE/reloads" ;;
esac
`

/** The account is whoever runs the tests; it is made and removed in a file. */
const ID = `#!/bin/sh
[ "$#" = 1 ] || [ -e "$FAKE/account" ] || exit 1
exec /usr/bin/id "$@"
`

export interface World extends AsyncDisposable {
  readonly service: WebsocketService
  readonly machine: Machine
  readonly pool: LocalPool
  readonly clock: FakeClock
  readonly nodeId: number
  readonly fleet: Awaited<ReturnType<typeof startNodesFleet>>
  readonly certificates: ReturnType<typeof makeCertificates>
  /** Servers that were asked; the next answers, the last one for ever. */
  readonly probed: RealtimeServer[]
  answers: boolean
  served: string | undefined
  /** By a gateway whose setting names the port. */
  converge(port?: number): Promise<void>
  serviceAt(port: number): WebsocketService
  remove(): Promise<void>
  at(path: string): string
  read(path: string): string | undefined
  modeOf(path: string): string
  /** Words of systemctl. */
  ran(): readonly string[]
  /** Everything that stands on the machine besides programs and notes of the test. */
  state(): Readonly<Record<string, string | undefined>>
  mark(name: 'broken' | 'stuck', is?: boolean): void
  giveExecutable(given: FakeExecutable): void
}

export async function startWorld(context: TestContext): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'fleet websocket-'))
  const at = (path: string): string => join(home, path)
  for (const folder of ['units', 'fake']) mkdirSync(at(folder))
  const touch = (name: string): string => `#!/bin/sh\n${name} "$FAKE/account"\n`
  const programs = { systemctl: SYSTEMCTL, id: ID, useradd: touch('touch'), userdel: touch('rm') }
  for (const [name, source] of Object.entries(programs))
    writeFileSync(at(`fake/${name}`), source, { mode: 0o755 })
  const pool = localPool({ home, env: { PATH: `${at('fake')}:/usr/bin:/bin`, FAKE: home } })
  const clock = new FakeClock()
  const fleet = await start('sqlite')
  const { holders } = fleet.nodes
  const row = await addNode(fleet.store, { wireguard_ip: '10.44.0.4', architecture: MACHINE })
  await addRole(fleet.store, { node_id: row.id, role: 'websocket', status: 'active' })
  const caDirectory = at('ca')
  await ensureRoot({ directory: caDirectory, clock, name: 'Fleet root' })
  const probed: RealtimeServer[] = []
  let executables = fakeExecutables({ architecture: MACHINE })
  const settings = async () => ({ range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' })
  const world = { answers: true, served: undefined as string | undefined } // Filled by tests.
  const certificates = makeCertificates({
    clock,
    caDirectory,
    served: { certificateAt: async () => world.served },
    store: fleet.store,
    suffix: async () => 'fleet',
    root: home,
  })
  const serviceAt = (websocketPort: number): WebsocketService =>
    makeWebsocketService({
      clock,
      holders,
      realtime: makeRealtime({ holders }),
      network: { settings },
      certificates,
      executables: { find: (architecture) => executables.find(architecture) },
      probe: { answers: async (server) => (probed.push(server), world.answers) },
      websocketPort,
      places: {
        executable: { directory: at('opt/fleet/bin'), link: at('usr/bin/fleet') },
        server: {
          home: at('etc/fleet/websocket'),
          unitDirectory: at('units'),
          runtime: at('run'),
          account: userInfo().username,
        },
      },
    })
  const service = serviceAt(WEBSOCKET_PORT)
  const node = nodeRecord({ ...row, activeRoles: ['websocket'] })
  const machine = localSession(pool, { node, call: fakeCall() })
  const read = (path: string): string | undefined =>
    existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined
  const dispose = async (): Promise<void> => {
    const pid = Number(read('pid'))
    if (pid) process.kill(pid)
    await fleet[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  }
  context.after(dispose)
  const run = async (steps: WebsocketService['convergence']): Promise<void> => {
    for (const step of steps) await step.run(machine)
  }
  return Object.assign(world, {
    service,
    machine,
    pool,
    clock,
    nodeId: row.id,
    fleet,
    certificates,
    probed,
    serviceAt,
    converge: (port = WEBSOCKET_PORT) => run(serviceAt(port).convergence),
    remove: () => run(service.removal),
    at,
    read,
    modeOf: (path: string) => (statSync(at(path)).mode & 0o7777).toString(8),
    ran: () => read('calls')?.split('\n').filter(Boolean) ?? [],
    state: () => ({
      configuration: read('etc/fleet/websocket/config.json'),
      unit: read('units/fleet-websocket.service'),
      account: read('account'),
      enabled: read('enabled'),
      runs: read('pid') === undefined ? undefined : read('run/ready')?.trim().split(' ')[1],
      certificate: read(CERTIFICATE) === undefined ? undefined : 'there',
      executable: read('opt/fleet/bin/fleet'),
    }),
    mark: (name: 'broken' | 'stuck', is = true) =>
      is ? writeFileSync(at(name), '') : rmSync(at(name), { force: true }),
    giveExecutable: (given: FakeExecutable) =>
      void (executables = fakeExecutables({ architecture: MACHINE, ...given })),
    [Symbol.asyncDispose]: async () => undefined,
  })
}

const MACHINE = process.arch === 'x64' ? 'x86_64' : 'aarch64'
export const CERTIFICATE = 'etc/fleet/certificates/websocket/leaf.pem'
