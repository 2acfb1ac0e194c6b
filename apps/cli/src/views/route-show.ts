import type { RouteData, ShownRouteData } from '@fleet/contract'
import { inline, isObject, type Json } from '#/print/value.ts'
import { processesRead, processNames } from './process-names.ts'
import { byId, nameOf } from './route-list.ts'
import { isStillOpen, isWaiting, problemLines, type Records } from './route-problems.ts'
import { type FurtherRead, type Row, section, type View, wholeList } from './view.ts'

const LISTS = ['instance:list', 'node:list', 'cluster:list'].map(wholeList)

const readsOf = ({ process_id: process, node_id: node }: Json): readonly FurtherRead[] =>
  typeof process === 'number' ? [...LISTS, processesRead(node)] : LISTS

/** A Route at a glance: where it leads, who serves it, and what is left to do. */
export const routeShow: View = {
  also: readsOf,
  lines: (data, also, paper) => {
    const route = data as unknown as ShownRouteData // The gateway answers by this declaration.
    const lists: readonly unknown[] = Array.isArray(also) ? also : []
    const [instances, nodes, clusters] = lists.map(byId)
    const processes = processNames(lists[LISTS.length], lists[1])
    const { bold, dim, red } = paper.colors
    const publication = isStillOpen(route) ? red('private, still open to the public') : dim(route.publication)
    const status = route.status === 'active' || isWaiting(route) ? route.status : red(route.status)
    return [
      `${bold(inline(route.domain))} (${route.id})  ${status}  ${publication}`,
      ...section('Leads to', destinationRows(route, instances, processes), paper),
      ...section('Served by', servingRows(route, nodes, clusters), paper),
      ...section('Domain', domainRows(route, nodes), paper),
      ...problemLines(route, paper, instances),
    ]
  },
}

/** The answer of a change: of a public Route, with what `route:show` knows besides. */
export const routeChanged: View = {
  also: (data) => [
    ...readsOf(data),
    ...(data['publication'] === 'public'
      ? [{ operation: 'route:show', members: { route: data['id'] } }]
      : []),
  ],
  lines: (data, also, paper) => {
    const shown: unknown = Array.isArray(also) && data['publication'] === 'public' ? also.at(-1) : undefined
    const lacks = isObject(shown) ? shown['publication_lacks'] : undefined
    return routeShow.lines(
      { ...data, ...(lacks === undefined ? {} : { publication_lacks: lacks }) },
      also,
      paper,
    )
  },
}

function destinationRows(
  { targets, upstream, process_id, web_root }: RouteData,
  instances: Records | undefined,
  processes: ReadonlyMap<unknown, string>,
): readonly Row[] {
  const rows: Row[] = targets.map(({ instance_id: id }) => [
    'Instance',
    inline(`${nameOf(id, instances?.get(id))} (${id})`),
  ])
  if (process_id !== null) {
    const name = processes.get(process_id)
    rows.push(['Process', inline(name === undefined ? process_id : `${name} (${process_id})`)])
  }
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
