import { resolve } from 'node:path'
import {
  GATEWAY_NODE,
  GatewayHost,
  type Host,
  type HostRequest,
  type Lab,
  LabFault,
  openLab,
} from '../../lab/index.ts'
import { installGateway } from '../../tests/lab/install.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Enrolments at once: more than two on two cores only wait for each other. */
const ENROLMENTS = 3

/** A Node of the measured fleet as the gateway lists it. */
export interface WideNode {
  readonly id: number
  readonly name: string
  readonly wireguard_ip: string
}

export interface WideFleet {
  readonly lab: Lab
  readonly gateway: GatewayHost
  readonly hosts: readonly Host[]
  /** The gateway's own Node is not among them. */
  readonly nodes: readonly WideNode[]
}

/**
 * A gateway with Ansible beside it and this many Nodes with the role `app-prod`. Hosts that an earlier run kept are used
 * again, so a larger fleet grows out of a smaller one. Throws NoAnsible.
 */
export async function ensureWideFleet(count: number, report: (line: string) => void): Promise<WideFleet> {
  const lab = await openLab({ checkout: ROOT, purpose: 'bench', report })
  const gatewayHost = await withAnsible(lab)
  const gateway = new GatewayHost(gatewayHost)
  if (!(await gateway.answers())) await timed(report, 'gateway installed', () => installGateway(gatewayHost))
  const names = Array.from({ length: count }, (_, at) => `wide-${at + 1}`)
  const hosts: Host[] = []
  for (const name of names) hosts.push(await ensureHost(lab, blankNode(name)))
  const known = new Set((await listed(gateway)).map(({ name }) => name))
  const blank = hosts.filter(({ name }) => !known.has(name)).values()
  const enroll = async (): Promise<void> => {
    for (const host of blank)
      await timed(report, `${host.name} enrolled`, () => gateway.enroll(host, { roles: ['app-prod'] }))
  }
  await Promise.all(Array.from({ length: ENROLMENTS }, enroll))
  const nodes = (await listed(gateway)).filter(({ name }) => names.includes(name))
  return { lab, gateway, hosts, nodes }
}

/** A machine for which Debian's package sources have no Ansible. */
export class NoAnsible extends Error {}

async function withAnsible(lab: Lab): Promise<Host> {
  try {
    const packages = ['ansible-core', 'openssh-client']
    return await ensureHost(lab, { name: GATEWAY_NODE, roles: ['gateway', 'vpn'], packages })
  } catch (error) {
    if (!(error instanceof LabFault)) throw error
    throw new NoAnsible('no host with ansible-core can be made', { cause: error })
  }
}

/** With `python3-apt`, which Ansible's module for packages needs. */
export const blankNode = (name: string): HostRequest => ({
  name,
  roles: ['gateway', 'app-prod'],
  packages: ['python3-apt'],
})

async function ensureHost(lab: Lab, request: HostRequest): Promise<Host> {
  const host = lab.find(request.name)
  if (!host) return lab.host(request)
  if (!host.isOn()) await host.revive()
  return host
}

const listed = async (gateway: GatewayHost): Promise<readonly WideNode[]> =>
  (await gateway.data(['node:list'])) as readonly WideNode[] // as: the declared answer of node:list.

async function timed<T>(report: (line: string) => void, what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  report(`${what} in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  return result
}
