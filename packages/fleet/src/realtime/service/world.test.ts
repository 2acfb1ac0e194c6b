import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
  type FakeSystemd,
  fakeSystemd,
  type LocalPool,
  localPool,
  localSession,
  nodeRecord,
  type startNodesFleet,
  startNodesFleet as start,
} from '@fleet/testing'
import { makeCertificates } from '#/certificates/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import {
  makeWebsocketService,
  type RealtimeServer,
  WEBSOCKET_PORT,
  type WebsocketService,
} from '#/realtime/api.ts'
import { makeRealtime } from '#/realtime/make.ts'
import { SERVER_UNIT } from '#/realtime/service/server.ts'

/** The account is whoever runs the tests; it is made and removed in a file. */
const ID = `#!/bin/sh
[ "$#" = 1 ] || [ -e "$FAKE/account" ] || exit 1
exec /usr/bin/id "$@"
`

export interface World extends AsyncDisposable {
  readonly service: WebsocketService
  readonly session: NodeSession
  readonly systemd: FakeSystemd
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
  giveExecutable(given: FakeExecutable): void
}

export async function startWorld(context: TestContext): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'fleet websocket-'))
  const at = (path: string): string => join(home, path)
  const systemd = fakeSystemd(home)
  const touch = (name: string): string => `#!/bin/sh\n${name} "$FAKE/account"\n`
  const programs = { id: ID, useradd: touch('touch'), userdel: touch('rm') }
  for (const [name, source] of Object.entries(programs))
    writeFileSync(at(`fake/${name}`), source, { mode: 0o755 })
  const pool = localPool({ home, env: systemd.env })
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
      realtime: makeRealtime({ holders, nodes: fleet.nodes.nodes }),
      network: { settings },
      certificates,
      executables: { find: (architecture) => executables.find(architecture) },
      probe: { answers: async (server) => (probed.push(server), world.answers) },
      websocketPort,
      websocketOrigins: ['gateway.fleet'],
      root: home,
      account: userInfo().username,
    })
  const service = serviceAt(WEBSOCKET_PORT)
  const node = nodeRecord({ ...row, activeRoles: ['websocket'] })
  const session = localSession(pool, { node, call: fakeCall() })
  const read = (path: string): string | undefined =>
    existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined
  const dispose = async (): Promise<void> => {
    systemd.end()
    await fleet[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  }
  context.after(dispose)
  const run = async (steps: WebsocketService['convergence']): Promise<void> => {
    for (const step of steps) await step.run(session)
  }
  return Object.assign(world, {
    service,
    session,
    systemd,
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
    ran: systemd.calls,
    state: () => ({
      configuration: read('etc/fleet/websocket/config.json'),
      unit: read(`etc/systemd/system/${SERVER_UNIT}`),
      account: read('account'),
      enabled: systemd.isEnabled(SERVER_UNIT) ? '' : undefined,
      runs:
        systemd.pid(SERVER_UNIT) === undefined
          ? undefined
          : read('run/fleet-websocket/ready')?.trim().split(' ')[1],
      certificate: read(CERTIFICATE) === undefined ? undefined : 'there',
      executable: read('opt/fleet/bin/fleet'),
    }),
    giveExecutable: (given: FakeExecutable) =>
      void (executables = fakeExecutables({ architecture: MACHINE, ...given })),
    [Symbol.asyncDispose]: async () => undefined,
  })
}

const MACHINE = process.arch === 'x64' ? 'x86_64' : 'aarch64'
export const CERTIFICATE = 'etc/fleet/certificates/websocket/leaf.pem'
