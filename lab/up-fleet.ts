import type { RoleName } from '@fleet/contract'
import { installGateway } from '../tests/lab/install.ts'
import { GATEWAY_NODE, GatewayHost } from './gateway-host.ts'
import type { Host } from './host.ts'
import type { HostRequest } from './lab.ts'

interface Member {
  readonly name: string
  readonly roles: readonly RoleName[]
  readonly words: readonly string[]
}

/** What `npm run lab -- up` makes Nodes of. */
const MEMBERS: readonly Member[] = [
  { name: 'node-1', roles: ['app-dev'], words: ['--tld', 'node-1.test'] },
  { name: 'node-2', roles: ['app-prod'], words: [] },
]

export interface FleetDeps {
  /** Makes or revives a host. */
  readonly ensure: (request: HostRequest) => Promise<Host>
  readonly print: (line: string) => void
}

/** A gateway and two Nodes, each with its times. What stands already is left as it is. Answers the gateway's host. */
export async function upFleet({ ensure, print }: FleetDeps): Promise<Host> {
  const booted = await timed(() => ensure({ name: GATEWAY_NODE, roles: ['gateway', 'vpn'] }))
  const host = booted.value
  const gateway = new GatewayHost(host)
  const said = await timed(async () => {
    if (await gateway.answers()) return 'installed before'
    await installGateway(host)
    return 'installed'
  })
  print(line(host, [`booted ${booted.text}`, `${said.value} ${said.text}`]))
  for (const member of MEMBERS) print(await upMember(gateway, member, ensure))
  return host
}

async function upMember(gateway: GatewayHost, member: Member, ensure: FleetDeps['ensure']): Promise<string> {
  const { name, roles, words } = member
  // The packages that every Node has come with any role; this one has none of its own.
  const booted = await timed(() => ensure({ name, roles: [GATEWAY_NODE, ...roles] }))
  const host = booted.value
  const said = await timed(async () => {
    if ((await gateway.fleet(['node:show', name])).status === 0) return 'enrolled before'
    await gateway.enroll(host, { roles, words })
    return 'enrolled'
  })
  return line(host, [`booted ${booted.text}`, `${said.value} ${said.text}`, roles.join(', ')])
}

const line = ({ name, address }: Host, facts: readonly string[]): string =>
  [name.padEnd(GATEWAY_NODE.length), address, ...facts].join('  ')

interface Timed<T> {
  readonly value: T
  readonly text: string
}

async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const start = performance.now()
  const value = await work()
  return { value, text: `${((performance.now() - start) / 1000).toFixed(1)} s` }
}
