import type { NodeRecord } from '@fleet/fleet'
import { Refusal } from '#/console/refusal.ts'
import type { Session } from '#/console/session.ts'
import type { FirstNode } from './first-node.ts'
import { askPublicHost, type InstallOptions } from './options.ts'

/** What an installation is carried out with: a flag that was not given means what is stored, or else its default. */
export interface Decided {
  readonly node: FirstNode
  readonly network: NetworkSettings
}

type NetworkSettings = Parameters<Session['services']['network']['configure']>[0]

export const HUB_PORT = 51_820
const DEFAULTS: NetworkSettings = {
  range: '10.44.0.0/16',
  hubPort: HUB_PORT,
  endpoint: null,
  suffix: 'fleet',
}

/**
 * Throws Refusal for what cannot change once a machine is enrolled: the name of the gateway's Node, and the range, the port and
 * the suffix of the private network, which its members were given.
 */
export async function decide(
  { services: { network, nodes } }: { readonly services: Asked },
  options: InstallOptions,
): Promise<Decided> {
  const [stored, known] = [await network.settings(), await nodes.list()]
  const node = firstOf(known)
  const { range, port, suffix } = options
  const settings = {
    ...(stored ?? DEFAULTS),
    ...(range === undefined ? {} : { range }),
    ...(port === undefined ? {} : { hubPort: port }),
    ...(suffix === undefined ? {} : { suffix }),
  }
  if (stored && known.some(({ status }) => status === 'active')) {
    requireSame('range', stored.range, settings.range)
    requireSame('port', stored.hubPort, settings.hubPort)
    requireSame('suffix', stored.suffix, settings.suffix)
  }
  if (node?.status === 'active') requireSame('name', node.name, options.name ?? node.name)
  const name = options.name ?? node?.name ?? 'gateway'
  return { node: { ...(await machineOf(options, known, name)), name }, network: settings }
}

/** What an installation asks of the records. */
interface Asked {
  readonly network: Pick<Session['services']['network'], 'settings'>
  readonly nodes: Pick<Session['services']['nodes'], 'list'>
}

/** Until the gateway serves, nothing but its own machine is enrolled. */
const firstOf = (known: readonly NodeRecord[]): NodeRecord | undefined =>
  known.find(({ activeRoles }) => activeRoles.includes('gateway')) ?? known.toSorted((a, b) => a.id - b.id)[0]

/** A recorded Node keeps what is not said again; of a new one the address must be known. */
async function machineOf(
  { publicHost, publicPort, address, fleetUser }: InstallOptions,
  known: readonly NodeRecord[],
  name: string,
): Promise<Omit<FirstNode, 'name'>> {
  const isRecorded = known.some((one) => one.name === name)
  const host = publicHost ?? (isRecorded ? undefined : await askPublicHost())
  return {
    ...(host === undefined ? {} : { publicHost: host }),
    ...(publicPort === undefined ? {} : { publicPort }),
    ...(address === undefined ? {} : { address }),
    ...(fleetUser === undefined ? {} : { fleetUser }),
  }
}

function requireSame(flag: string, stored: string | number, given: string | number): void {
  if (stored !== given)
    throw new Refusal(
      `--${flag} cannot become ${given}: machines are enrolled with ${stored}.`,
      'Leave the flag out to keep it.',
    )
}
