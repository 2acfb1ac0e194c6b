import type { RouteData } from '@fleet/contract'
import { inline, isObject, type Json } from '#/print/value.ts'
import { nameOf } from './route-list.ts'
import { type Paper, type Row, section, type View } from './view.ts'

/** A Route at a glance: where it leads, who serves it, and what is left to do. */
export const routeShow: View = {
  also: () => [
    { operation: 'instance:list', members: {} },
    { operation: 'node:list', members: {} },
    { operation: 'cluster:list', members: {} },
  ],
  lines: (data, also, paper) => {
    const route = data as unknown as RouteData // The gateway answers by this declaration.
    const [instances, nodes, clusters] = Array.isArray(also) ? also.map(byId) : []
    const { bold, dim, red } = paper.colors
    const status = route.status === 'active' ? route.status : red(route.status)
    return [
      `${bold(inline(route.domain))} (${route.id})  ${status}  ${dim(route.publication)}`,
      ...section('Leads to', destinationRows(route, instances), paper),
      ...section('Served by', servingRows(route, nodes, clusters), paper),
      ...section('Domain', domainRows(route, nodes), paper),
      ...problemLines(route, paper, instances),
    ]
  },
}

type Records = ReadonlyMap<unknown, Json>

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

/** What a public Route that is open keeps as its step (RTX-031). */
const OPEN = 'ingress-firewall'

function problemLines(
  route: RouteData,
  { colors, messageOf }: Paper,
  instances?: Records,
): readonly string[] {
  const { status, failed_step, error_code, target_set_step, replacement_step } = route
  const step = failed_step ?? target_set_step ?? (replacement_step === OPEN ? null : replacement_step)
  if (status === 'active' && step === null && error_code === null) return []
  // Also while somebody carries it out.
  const isChanging = target_set_step !== null && failed_step === null && error_code === null
  const where = isChanging
    ? `A change of its targets is at the step ${target_set_step}`
    : step === null
      ? `Its status is ${status}`
      : `It stopped at the step ${step}`
  const said =
    error_code === null
      ? '.'
      : `. ${messageOf(error_code) ?? 'This client does not know the code.'} (${error_code})`
  const [helps, next] = wayOut(route, instances)
  return [
    '',
    colors.red(colors.bold('Problems')),
    `  ${inline(where + said)}`,
    ...(helps === undefined ? [] : [`  ${helps}`]),
    `  ${colors.dim('next')}  ${colors.cyan(next)}`,
  ]
}

/** What helps, and the command for it. */
function wayOut(route: RouteData, instances?: Records): readonly [helps: string | undefined, next: string] {
  const { id, kind, status, targets, target_set_step, replaces_route_id } = route
  const again = creationOf(route)
  if (again !== undefined) return [undefined, again]
  // A Route that serves is not given up for a change of its pool.
  if (target_set_step !== null)
    return [
      'If nobody carries the change of its targets out any more, the request that began it finishes it.',
      'fleet activity:list --command route:target:set',
    ]
  if (kind === 'app' && status === 'pending' && replaces_route_id === null) {
    const [target] = targets
    if (target)
      return [
        'Its Instance is not created completely; with it the Route is finished or removed.',
        `fleet instance:show ${placeOf(instances?.get(target.instance_id)) ?? target.instance_id}`,
      ]
    return [
      'It leads to no Instance. `fleet route:target:set` leads it to one; the command removes it.',
      `fleet route:destroy ${id}`,
    ]
  }
  return ['Repeat the request that left it so, or remove the Route.', `fleet route:destroy ${id}`]
}

/** `project/name`, as commands take it. */
function placeOf(instance: Json | undefined): string | undefined {
  const { project, name } = instance ?? {}
  const slug = isObject(project) ? project['slug'] : undefined
  return typeof slug === 'string' && typeof name === 'string' ? inline(`${slug}/${name}`) : undefined
}

/** The creation that resumes a Route which has not come to serve its Instance. */
function creationOf({ kind, status, replaces_route_id, domain, targets, web_root, publication }: RouteData) {
  const [target] = targets
  if (kind !== 'app' || status !== 'activating' || replaces_route_id !== null || !target) return undefined
  return [
    `fleet route:create ${inline(domain)} --instance ${target.instance_id}`,
    ...(publication === 'public' ? ['--publication public'] : []),
    ...(web_root === null ? [] : [`--web-root ${inline(web_root)}`]),
  ].join(' ')
}
