import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { holds, parseAddress, parseRange } from '#/network/addresses/range.ts'
import { parseEndpoint } from '#/network/endpoint.ts'
import { dropFacts, findFacts, putFact } from '#/network/queries.ts'

export interface NetworkSettings {
  /** Of all tunnel addresses, such as `10.44.0.0/16`. */
  readonly range: string
  /** UDP port of the hub. */
  readonly hubPort: number
  /** Endpoint of the hub for Nodes without one of their own; null: the public host of the `vpn` Node (NODE-049). */
  readonly endpoint: string | null
  /** Private suffix of the fleet, such as `fleet`. */
  readonly suffix: string
}

export const DEFAULT_RANGE = '10.44.0.0/16'
export const DEFAULT_HUB_PORT = 51_820

const SUFFIX = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
const SMALLEST_PREFIX = 29

/** What the gateway knows of its private network; undefined until it was configured. */
export async function findSettings({ db }: Pick<Store, 'db'>): Promise<NetworkSettings | undefined> {
  const facts = await findFacts(db)
  const [range, port, suffix] = [facts.get('range'), facts.get('hub_port'), facts.get('suffix')]
  if (range === undefined || port === undefined || suffix === undefined) return undefined
  return { range, hubPort: Number(port), endpoint: facts.get('endpoint') ?? null, suffix }
}

/** Throws `node.capability_missing` for a gateway without a private network. */
export async function requireSettings(store: Pick<Store, 'db'>): Promise<NetworkSettings> {
  const settings = await findSettings(store)
  if (!settings)
    throw fail('node.capability_missing', {
      message: 'This gateway has no private network; an installed gateway has one.',
    })
  return settings
}

/** Stores the settings, all or none. Throws `vpn.configuration_invalid` for what no tunnel could be made of. */
export async function configureNetwork(
  store: Pick<Store, 'transaction'>,
  settings: NetworkSettings,
): Promise<void> {
  requireValid(settings)
  const { range, hubPort, endpoint, suffix } = settings
  await store.transaction(async (db) => {
    await putFact(db, 'range', range)
    await putFact(db, 'hub_port', String(hubPort))
    await putFact(db, 'suffix', suffix)
    if (endpoint === null) await dropFacts(db, ['endpoint'])
    else await putFact(db, 'endpoint', endpoint)
  })
}

/** Distinguishes addresses of the private network from others. */
export function tunnelRange({ range }: NetworkSettings): (address: string) => boolean {
  const block = parseRange(range)
  return (text) => {
    const address = parseAddress(text)
    return block !== undefined && address !== undefined && holds(block, address)
  }
}

function requireValid({ range, hubPort, endpoint, suffix }: NetworkSettings): void {
  const parsed = parseRange(range)
  const wrong =
    (parsed === undefined || parsed.prefix < 8 || parsed.prefix > SMALLEST_PREFIX ? 'range' : undefined) ??
    (Number.isInteger(hubPort) && hubPort >= 1 && hubPort <= 65_535 ? undefined : 'hub_port') ??
    (endpoint === null || parseEndpoint(endpoint) ? undefined : 'endpoint') ??
    (SUFFIX.test(suffix) && suffix.length <= 253 ? undefined : 'suffix')
  if (wrong !== undefined) throw fail('vpn.configuration_invalid', { details: { setting: wrong } })
}
