import type { ClusterData, ClusterMemberData, RouteData } from '@fleet/contract'
import { inline } from '#/print/value.ts'
import { type Paper, section, type View } from './view.ts'

/** A Cluster as a picture: what its Router serves, for which Nodes, under which domains. */
export const clusterShow: View = {
  also: () => ({ operation: 'route:list', members: {} }),
  lines: (data, also, paper) => {
    const cluster = data as unknown as ClusterData // The gateway answers by this declaration.
    const routes = Array.isArray(also) ? (also as RouteData[]) : [] // As above, for the Routes.
    const { bold, dim } = paper.colors
    const tld = cluster.tld === null ? 'without a top-level domain' : `.${inline(cluster.tld)}`
    return [
      `${bold(inline(cluster.name))} (${cluster.id})  ${cluster.state}  ${dim(tld)}`,
      '',
      ...picture(cluster, paper),
      ...domainLines(cluster, routes, paper),
    ]
  },
}

/** The Router above its members; without one, the members alone. */
function picture({ nodes, router, state }: ClusterData, paper: Paper): readonly string[] {
  const { red, dim } = paper.colors
  const behind = nodes.filter(({ id }) => id !== router?.id)
  const head = router
    ? `${memberText(router, paper)}  ${dim('Router')}`
    : (state === 'active' ? red : dim)('no Router')
  if (behind.length === 0) return [head, dim(router ? '   no other member' : '   no member')]
  return [
    head,
    ...behind.map((member, at) => `${at === behind.length - 1 ? '└─' : '├─'} ${memberText(member, paper)}`),
  ]
}

function memberText({ name, status, wireguard_ip, lan_ip }: ClusterMemberData, { colors }: Paper): string {
  const addresses = [wireguard_ip, lan_ip === null ? null : `LAN ${lan_ip}`].filter((one) => one !== null)
  return [
    inline(name),
    status === 'active' ? [] : status === 'failed' ? colors.red(status) : status,
    colors.dim(addresses.join(', ')),
  ]
    .flat()
    .join('  ')
    .trimEnd()
}

const domainLines = ({ id }: ClusterData, routes: readonly RouteData[], paper: Paper): readonly string[] =>
  section(
    'Domains',
    routes
      .filter((route) => route.cluster_id === id)
      .map(({ domain, publication, status }) => [
        inline(domain),
        status === 'active' ? publication : `${publication}, ${status}`,
      ]),
    paper,
  )
