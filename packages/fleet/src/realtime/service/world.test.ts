import { statSync } from 'node:fs'
import { userInfo } from 'node:os'
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
  type LocalPool,
  localSession,
  nodeRecord,
  serviceHost,
  type startNodesFleet,
  startNodesFleet as start,
  testDomains,
  testFacts,
} from '@fleet/testing'
import type { Certificates } from '#/certificates/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { type RealtimeServer, WEBSOCKET_PORT, type WebsocketService } from '#/realtime/api.ts'
import { SERVER_UNIT } from '#/realtime/service/server.ts'

export interface World extends AsyncDisposable {
  readonly service: WebsocketService
  readonly session: NodeSession
  readonly systemd: FakeSystemd
  readonly pool: LocalPool
  readonly clock: FakeClock
  readonly nodeId: number
  readonly fleet: Awaited<ReturnType<typeof startNodesFleet>>
  readonly certificates: Certificates
  /** Servers that were asked; the next answers, the last one for ever. */
  readonly probed: RealtimeServer[]
  answers: boolean
  /** Where it answers that it refuses by its clock. */
  clockAheadSeconds: number | undefined
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
  const host = serviceHost()
  const { at, pool, read, root, systemd } = host
  // The account is whoever runs the tests; it is created and removed in a file.
  host.install('id', '[ "$#" = 1 ] || [ -e "$FAKE/account" ] || exit 1\nexec /usr/bin/id "$@"')
  host.install('useradd', 'touch "$FAKE/account"')
  host.install('userdel', 'rm "$FAKE/account"')
  const clock = new FakeClock()
  const fleet = await start('sqlite')
  const row = await addNode(fleet.store, { wireguard_ip: '10.44.0.4', architecture: MACHINE })
  await addRole(fleet.store, { node_id: row.id, role: 'websocket', status: 'active' })
  const caDirectory = at('ca')
  await ensureRoot({ directory: caDirectory, clock, name: 'Fleet root' })
  const probed: RealtimeServer[] = []
  let executables = fakeExecutables({ architecture: MACHINE })
  const world = {
    answers: true,
    clockAheadSeconds: undefined as number | undefined, // Filled by tests.
    served: undefined as string | undefined, // Filled by tests.
  }
  const domainsAt = (websocketPort: number) =>
    testDomains({
      store: fleet.store,
      clock,
      ssh: pool,
      root,
      account: userInfo().username,
      websocketPort,
      executables: { find: (architecture) => executables.find(architecture) },
      facts: { ...testFacts, caDirectory },
      servedCertificates: { certificateAt: async () => world.served },
      serverProbe: {
        ask: async (server) => {
          probed.push(server)
          return { isTaken: world.answers, clockAheadSeconds: world.clockAheadSeconds }
        },
      },
    })
  const { certificates, network } = domainsAt(WEBSOCKET_PORT)
  await network.configure({ range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' })
  const serviceAt = (port: number): WebsocketService => domainsAt(port).websocket
  const service = serviceAt(WEBSOCKET_PORT)
  const node = nodeRecord({ ...row, activeRoles: ['websocket'] })
  const session = localSession(pool, { node, call: fakeCall() })
  const dispose = async (): Promise<void> => {
    await fleet[Symbol.asyncDispose]()
    host[Symbol.dispose]()
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
