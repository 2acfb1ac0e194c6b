import type { RouteData, ShownRouteData } from '@fleet/contract'
import { inline, isObject } from '#/print/value.ts'
import { nameOf } from './route-list.ts'
import { isStillOpen, isWaiting, problemLines, type Records } from './route-problems.ts'
import { type FurtherRead, type Row, section, type View } from './view.ts'

const LISTS: readonly FurtherRead[] = ['instance:list', 'node:list', 'cluster:list'].map((operation) => ({
  operation,
  members: {},
}))

/** A Route at a glance: where it leads, who serves it, and what is left to do. */
export const routeShow: View = {
  also: () => LISTS,
  lines: (data, also, paper) => {
    const route = data as unknown as ShownRouteData // The gateway answers by this declaration.
    const [instances, nodes, clusters] = Array.isArray(also) ? also.map(byId) : []
    const { bold, dim, red } = paper.colors
    const publication = isStillOpen(route) ? red('private, still open to the public') : dim(route.publication)
    const status = route.status === 'active' || isWaiting(route) ? route.status : red(route.status)
    return [
      `${bold(inline(route.domain))} (${route.id})  ${status}  ${publication}`,
      ...section('Leads to', destinationRows(route, instances), paper),
      ...section('Served by', servingRows(route, nodes, clusters), paper),
      ...section('Domain', domainRows(route, nodes), paper),
      ...problemLines(route, paper, instances),
    ]
  },
}

/** The answer of a change: of a public Route, with what `route:show` knows besides. */
export const routeChanged: View = {
  also: (data) => [
    ...LISTS,
    ...(data['publication'] === 'public'
      ? [{ operation: 'route:show', members: { route: data['id'] } }]
      : []),
  ],
  lines: (data, also, paper) => {
    const shown: unknown = Array.isArray(also) ? also[LISTS.length] : undefined
    const lacks = isObject(shown) ? shown['publication_lacks'] : undefined
    return routeShow.lines(
      { ...data, ...(lacks === undefined ? {} : { publication_lacks: lacks }) },
      also,
      paper,
    )
  },
}

const byId = (list: unknown): Records =>
  new Map((Array.isArray(list) ? list.filter(isObject) : []).map((record) => [record['id'], record]))

function destinationRows(
  { targets, upstream, process_id, web_root }: RouteData,
  instances?: Records,
): readonly Row[] {
  const rows: Row[] = targets.map(({ instance_id: id }) => [
    'Instance',
    inline(`${nameOf(id, instances?.get(id))} (${id})`),
  ])
  if (process_id !== null) rows.push(['Process', String(process_id)])
  if (upstream !== null) rows.push(['upstream', inline(upstream)])
  if (rows.length === 0) rows.push(['nothing', ''])
  return web_root === null ? rows : [...rows, ['web root', inline(web_root)]]
}

const servingRows = ({ node_id, cluster_id }: RouteData, nodes?: Records, clusters?: Records) =>
  cluster_id === null
    ? [['Node', labelled(node_id, nodes)] as const]
    : [['Cluster', labelled(cluster_id, clusters)] as const]

const labelled = (id: unknown, records?: Records): string => {
  const name = records?.get(id)?.['name']
  return inline(typeof name === 'string' ? `${name} (${String(id)})` : id)
}

/** Only what is special: a chosen domain that nothing replaces says nothing. */
function domainRows(
  { provenance, generation_basis_node_id, replaces_route_id, replaced_by_route_id }: RouteData,
  nodes?: Records,
): readonly Row[] {
  const basis = generation_basis_node_id === null ? '' : ` on ${labelled(generation_basis_node_id, nodes)}`
  return [
    ...(provenance === 'generated' ? [['generated', `from Project and Instance${basis}`] as const] : []),
    ...(replaces_route_id === null ? [] : [['replaces', `Route ${replaces_route_id}`] as const]),
    ...(replaced_by_route_id === null ? [] : [['replaced by', `Route ${replaced_by_route_id}`] as const]),
  ]
}
