import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { UnitReport } from '@fleet/contract'
import { catalogText } from '@fleet/dns'
import { catalogOf, type NameSources } from '#/dns/catalog.ts'
import type { DnsDeps } from '#/dns/deps.ts'
import { listVpnAssignments } from '#/dns/queries.ts'
import { CATALOG_QUESTION } from '#/dns/service/publish.ts'
import { resolverFilesOf } from '#/dns/service/dns.ts'
import { readSources, withoutNode } from '#/dns/sources.ts'
import { type ResolverFiles, upstreamsOf } from '#/dns/upstreams.ts'
import { troubleOf } from '#/managed-services/api.ts'
import { tunnelRange } from '#/network/api.ts'
import { asked, type FamilyChecks, type Finding, type Question, readPrinted } from '#/nodes/api.ts'

export interface DnsView {
  readonly isRunning: boolean
  /** All of its units start at boot. */
  readonly boots: boolean
  /** SHA-256 in hex of the catalog on the machine; empty when there is none. */
  readonly catalog: string
  /** Of the one that the listener has loaded. */
  readonly loaded: string
  /** Whom it asks for names that are not the fleet's. */
  readonly servers: readonly string[]
  readonly machine: ResolverFiles
  /** Of the first unit that does not run. */
  readonly trouble: UnitReport | undefined
}

export const dnsQuestion = (root: string): Question<DnsView> => ({
  source: CATALOG_QUESTION,
  args: [root],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      const word = (name: string): string => answer.get(name)?.toString('utf8') ?? ''
      return {
        isRunning: word('running') === 'yes',
        boots: word('boots') === 'yes',
        catalog: word('catalog'),
        loaded: word('loaded'),
        servers: word('servers')
          .split('\n')
          .filter((server) => server !== ''),
        machine: resolverFilesOf(answer),
        trouble: troubleOf(answer),
      }
    }),
})

/** Private DNS in the family `role`: it runs on its Node and has loaded the names that the records make (DRF-030, DRF-034). */
export const makeDnsChecks = (deps: DnsDeps): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, node) => {
    const assignment = (await listVpnAssignments(deps.store.db)).find(({ node_id }) => node_id === node.id)
    const sources = assignment && (await readSources(deps))
    if (!sources) return []
    const accepted = acceptedDigests(sources)
    const settings = await deps.network.settings()
    const isTunnel = settings ? tunnelRange(settings) : () => false
    const resource = { type: 'role', id: assignment.id, name: 'vpn' }
    const question = dnsQuestion(deps.root ?? '')
    return [
      asked('role.services_inactive', resource, question, ({ isRunning, boots, trouble: service }) => {
        if (!isRunning) return { expected: 'running', observed: 'not running: private DNS', service }
        if (boots) return undefined
        return { expected: 'starts at boot', observed: 'does not start at boot: private DNS' }
      }),
      // A service that is down is reported once; what it last loaded means nothing then.
      asked('role.dns_projection_mismatch', resource, question, async (view) => {
        const { isRunning, catalog, loaded } = view
        if (!isRunning) return undefined
        const isCurrent = accepted.has(catalog) || (await isPublishedSince(deps, catalog))
        if (isCurrent && loaded === catalog) return compareUpstreams(view, isTunnel)
        return { expected: 'loaded', observed: isCurrent ? 'not loaded' : 'other names' }
      }),
    ]
  },
})

/** The resolvers of the machine follow its network, those of the backend only a converge (RTX-107). */
function compareUpstreams(
  { servers, machine }: Pick<DnsView, 'servers' | 'machine'>,
  isTunnel: (address: string) => boolean,
): Finding | undefined {
  const wanted = upstreamsOf(machine, isTunnel)
  const isSame = isDeepStrictEqual(servers.toSorted(), wanted.toSorted())
  return isSame ? undefined : { expected: 'the resolvers of the machine', observed: 'other resolvers' }
}

/** Names are published while a transfer or a change of Routes works, also between the reading of the records and the answer. */
async function isPublishedSince(deps: DnsDeps, catalog: string): Promise<boolean> {
  const sources = await readSources(deps)
  return sources !== undefined && acceptedDigests(sources).has(catalog)
}

const acceptedDigests = (sources: NameSources): ReadonlySet<string> =>
  new Set(acceptedSources(sources).map(digestOf))

const digestOf = (sources: NameSources): string =>
  createHash('sha256')
    .update(catalogText(catalogOf(sources)))
    .digest('hex')

/** Each one doubles the catalogs that count. */
const MAX_UNFINISHED = 4

/**
 * With and without each Node whose enrolment has not ended: its names are published by a late step of it, and that it
 * stopped before is a finding of its own.
 */
const acceptedSources = (sources: NameSources): readonly NameSources[] =>
  sources.nodes
    .filter(({ status }) => status !== 'active')
    .slice(0, MAX_UNFINISHED)
    .reduce<readonly NameSources[]>(
      (all, { id }) => all.flatMap((one) => [one, withoutNode(one, id)]),
      [sources],
    )
