import { X509Certificate } from 'node:crypto'
import type { Clock } from '@fleet/kernel'
import { ROOT_FILES, textFile } from '@fleet/shell'
import type { Firewall } from '#/firewall/api.ts'
import type { Network } from '#/network/api.ts'
import {
  asked,
  type Check,
  type FamilyChecks,
  type Finding,
  isEmbedded,
  type NodeRecord,
  type Question,
  readPrinted,
} from '#/nodes/api.ts'
import { named } from '#/routes/checks/examined.ts'
import { type PublicRoute, publicRoutesOn } from '#/routes/edge/public-routes.ts'
import { isInTransition } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { ingressScope } from '#/routes/scopes.ts'
import { routeSites } from '#/routes/sites.ts'
import {
  type LiveSites,
  judgeSites,
  obtainsCertificate,
  PRINT_SITES,
  publishedSites,
  readLiveSites,
  type SiteName,
} from '#/web-server/api.ts'

export interface PublicCheckDeps {
  readonly store: RoutesDeps['store']
  readonly clock: Clock
  readonly network: Pick<Network, 'settings'>
  readonly firewall: Pick<Firewall, 'roleCheck'>
  /** Root folder of every machine; empty but in tests. */
  readonly root?: string
}

/**
 * What an ingress does for the Instances of its public Routes: reported there, whichever Nodes the Instances are on
 * (DOC-017 to DOC-020, DOC-022). One question, whatever the number of Routes.
 */
export const makePublicChecks = (deps: PublicCheckDeps): FamilyChecks => ({
  family: 'instance',
  checksOf: async (_call, node) => {
    if (isEmbedded(node) || !(await deps.network.settings())) return []
    const open = (await publicRoutesOn(deps.store.db, node.id)).filter(isSettled)
    if (open.length === 0) return []
    const published = publishedSites(await routeSites(deps, node))
    const question = edgeQuestion(
      deps.root ?? '',
      open.map(({ route }) => route.domain),
    )
    const judges = { published, question, now: () => deps.clock.now() }
    return (await Promise.all(open.map((found) => checksOf(deps, node, found, judges)))).flat()
  },
})

const isSettled = ({ route }: PublicRoute): boolean => route.status === 'active' && !isInTransition(route)

interface Judges {
  readonly published: ReturnType<typeof publishedSites>
  readonly question: Question<EdgeView>
  readonly now: () => Date
}

async function checksOf(
  { firewall }: PublicCheckDeps,
  node: NodeRecord,
  { route, targets }: PublicRoute,
  { published, question, now }: Judges,
): Promise<readonly Check[]> {
  const of = named(route.domain)
  const site: SiteName = { source: 'ingress', scope: ingressScope(route) }
  const lists = targets.map(async ({ instance: { id, name } }) => {
    const resource = { type: 'instance', id, name }
    return [
      asked('instance.public_ingress_mismatch', resource, question, ({ live }) =>
        of(judgeSites([site], published, live)),
      ),
      asked('instance.public_tls_mismatch', resource, question, ({ live, certificates }) =>
        of(
          settingsFinding(site, live) ??
            certificateFinding(certificates.get(route.domain), route.domain, now()),
        ),
      ),
      ...(await firewall.roleCheck('instance.public_firewall_mismatch', resource, node, 'ingress')),
    ]
  })
  return (await Promise.all(lists)).flat()
}

function settingsFinding(site: SiteName, live: LiveSites): Finding | undefined {
  const how = obtainsCertificate(site, live)
  if (how === 'itself') return undefined
  return { expected: 'a public certificate', observed: how === 'never' ? 'not requested' : 'a file' }
}

/** Of its lifetime: Caddy renews after two thirds, so what is as near to its end was not renewed (DOC-020). */
const RENEWAL_MARGIN = 1 / 6

function certificateFinding(text: string | undefined, domain: string, now: Date): Finding | undefined {
  const found = (observed: string): Finding => ({ expected: 'a public certificate', observed })
  if (text === undefined) return found('none')
  const certificate = parsed(text)
  if (!certificate) return found('unreadable')
  if (certificate.checkHost(domain) === undefined) return found('for other names')
  const [begin, end] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  return end - now.getTime() < (end - begin) * RENEWAL_MARGIN ? found('not renewed') : undefined
}

function parsed(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text)
  } catch {
    return undefined
  }
}

interface EdgeView {
  readonly live: LiveSites
  /** The stored certificate of each domain that has one, with those of its issuers. */
  readonly certificates: ReadonlyMap<string, string>
}

const edgeQuestion = (root: string, domains: readonly string[]): Question<EdgeView> => ({
  source: [ROOT_FILES, PRINT_SITES, textFile('public.sh', import.meta.url)].join('\n'),
  args: [root, ...domains],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      answer.word('end', ['yes'])
      return {
        live: readLiveSites(answer),
        certificates: new Map(
          domains.flatMap((domain, at) => {
            const text = answer.text(`certificate.${at}`)
            return text === '' ? [] : [[domain, text] as const]
          }),
        ),
      }
    }),
})
