import type { PublicationLack, RouteData, ShownRouteData } from '@fleet/contract'
import { targetSetArguments } from '@fleet/contract/doctor-codes'
import { inline, isObject, type Json } from '#/print/value.ts'
import { shellWord } from '#/shell-word.ts'
import type { Paper } from './view.ts'

export type Records = ReadonlyMap<unknown, Json>

/** What a public Route that is open keeps as its step (RTX-031). */
const OPEN = 'ingress-firewall'

/** On its way to the public, and back. */
const BETWEEN: readonly unknown[] = ['public-activated', 'public-withdrawn']

const stepOf = ({ failed_step, target_set_step, replacement_step, publication }: RouteData): string | null =>
  failed_step ??
  target_set_step ??
  (replacement_step === OPEN && publication === 'public' ? null : replacement_step)

/** It serves, and only its opening or closing has not ended: no removal helps. */
const isAtEdge = (route: Readonly<Record<string, unknown>>): boolean =>
  route['status'] === 'active' &&
  route['failed_step'] === null &&
  route['target_set_step'] === null &&
  route['replaces_route_id'] === null &&
  route['replaced_by_route_id'] === null &&
  (route['replacement_step'] === OPEN || BETWEEN.includes(route['replacement_step']))

/** Private by its record, while its ingress serves it to everybody or does so again as soon as it is back. */
export const isStillOpen = (route: Readonly<Record<string, unknown>>): boolean =>
  route['publication'] === 'private' && isAtEdge(route)

/** Nothing is wrong with it, and nothing of it is left to be done: it only leads to no Instance. */
export const isWaiting = (route: ShownRouteData): boolean =>
  route.kind === 'app' &&
  route.status === 'pending' &&
  route.targets.length === 0 &&
  route.replaces_route_id === null &&
  route.target_set === undefined &&
  route.error_code === null &&
  stepOf(route) === null

/** It serves all the time: of an active Route without a pair or a set, only a change of its web root has a step that failed. */
const isWebRootChange = ({ kind, status, failed_step, target_set_step }: RouteData): boolean =>
  kind === 'app' && status === 'active' && failed_step !== null && target_set_step === null

/** What is wrong or not finished, and the command for it. */
export function problemLines(
  route: ShownRouteData,
  { colors, messageOf }: Paper,
  instances?: Records,
): readonly string[] {
  const { id, status, error_code, target_set } = route
  if (isWaiting(route))
    return [
      '',
      colors.bold('Waits for an Instance'),
      `  It leads to none yet. \`fleet route:destroy ${id}\` removes it.`,
      `  ${colors.dim('next')}  ${colors.cyan(`fleet route:target:set ${id} INSTANCE`)}`,
    ]
  if (status === 'active' && stepOf(route) === null && error_code === null && !target_set)
    return lackLines(route, { colors })
  const where = whereOf(route)
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

/** A public Route that waits for a condition is served in private, and nothing of it has failed (RTX-051). */
function lackLines(route: ShownRouteData, { colors }: Pick<Paper, 'colors'>): readonly string[] {
  const lack = route.publication_lacks
  // A gateway of a later release may answer another one.
  const known = lack && Object.hasOwn(LACKS, lack) ? LACKS[lack](route) : undefined
  if (!known) return []
  const [why, next] = known
  return [
    '',
    colors.bold('Not open to the public'),
    `  ${why}`,
    `  ${colors.dim('next')}  ${colors.cyan(next)}`,
  ]
}

type Lack = (route: ShownRouteData) => readonly [why: string, next: string]

const LACKS: Readonly<Record<PublicationLack, Lack>> = {
  production_target: ({ id }) => [
    'It leads to a development Instance; only production is public. The command makes it private again.',
    `fleet route:update ${id} --publication private`,
  ],
  active_cluster: () => [
    'It is in no active Cluster. It opens when its Node is in one that has a Router and an ingress.',
    'fleet cluster:list',
  ],
  router: ({ cluster_id }) => [
    'Its Cluster has no active Router. It opens when there is one.',
    `fleet cluster:router:set ${cluster_id} NODE`,
  ],
  ingress: ({ cluster_id }) => [
    `Its Cluster has no active ingress. It opens when a member has the role; \`fleet cluster:show ${cluster_id}\` shows the members.`,
    'fleet node:role:add NODE ingress',
  ],
  opening: ({ id }) => [
    'Nothing is missing, but its opening stopped. The same request resumes it.',
    `fleet route:update ${id} --publication public`,
  ],
}

function whereOf(route: ShownRouteData): string {
  const { status, failed_step, error_code, target_set, target_set_step } = route
  const step = stepOf(route)
  // Also while somebody carries it out.
  if (failed_step === null && error_code === null) {
    if (target_set_step !== null) return `A change of its targets is at the step ${target_set_step}`
    if (target_set) return 'A change of its targets has not ended, and nothing of it is stored yet'
  }
  if (step === null && route.replaces_route_id !== null)
    return 'It takes the place of another Route, and that has not ended'
  if (step === null) return `Its status is ${status}`
  if (isStillOpen(route) && !target_set)
    return `It is still open to the public: its closing stopped at the step ${step === OPEN ? 'public-withdrawn' : step}`
  // Before it is stored, only what could not be rolled back is named (RTE-112).
  return target_set && target_set_step === null
    ? `A change of its targets stopped before it was stored. It could not be rolled back at the step ${step}`
    : `It stopped at the step ${step}`
}

/** What helps, and the command for it. */
function wayOut(
  route: ShownRouteData,
  instances?: Records,
): readonly [helps: string | undefined, next: string] {
  const { id, kind, status, targets, target_set, target_set_step, replaces_route_id } = route
  if (target_set)
    return [
      `The same set again resumes it. ${givenUp(route)}`,
      `fleet route:target:set ${id} ${targetSetArguments(target_set)}`,
    ]
  const pair = pairOf(route)
  if (pair) return pair
  if (isWebRootChange(route))
    return [
      'Naming the web root that it has finishes the change of it, or takes that back where the other one was not served yet.',
      `fleet route:update ${id} ${route.web_root === null ? '--no-web-root' : `--web-root ${shellWord(inline(route.web_root))}`}`,
    ]
  if (isAtEdge(route)) return [undefined, `fleet route:update ${id} --publication ${route.publication}`]
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
  if (status === 'failed' && kind === 'custom_proxy')
    return ['Nothing resumes it. Remove it, then create it again.', `fleet route:destroy ${id}`]
  return ['Repeat the request that left it so, or remove the Route.', `fleet route:destroy ${id}`]
}

/** Of a change of the domain, which is a Route that takes the place of another one (RTE-054, RTX-035). */
function pairOf(route: RouteData): readonly [helps: string, next: string] | undefined {
  const { id, domain, status, replaces_route_id, replaced_by_route_id } = route
  if (replaced_by_route_id !== null)
    return [
      'Another Route takes its place, and shows what is missing.',
      `fleet route:show ${replaced_by_route_id}`,
    ]
  if (replaces_route_id === null) return undefined
  const isCandidate = status === 'pending' || status === 'failed'
  return [
    isCandidate
      ? `The request that began it finishes it. To give it up: \`fleet route:destroy ${id}\`.`
      : 'Its name is served already; the request that began it finishes the rest.',
    `fleet route:update ${id} --domain ${inline(domain)}`,
  ]
}

/** Once it is stored nothing gives it up; without targets there are none to name (decision 0288). */
function givenUp({ id, targets, target_set_step }: RouteData): string {
  if (target_set_step !== null) return 'No other is taken until then.'
  const present = targets.map(({ instance_id }) => instance_id)
  return targets.length === 0
    ? `To give it up: \`fleet route:target:unset ${id}\`.`
    : `To give it up, name the present targets: \`fleet route:target:set ${id} ${targetSetArguments({ targets: present, dispositions: [] })}\`.`
}

/** `project/name`, as commands take it. */
function placeOf(instance: Json | undefined): string | undefined {
  const { project, name } = instance ?? {}
  const slug = isObject(project) ? project['slug'] : undefined
  return typeof slug === 'string' && typeof name === 'string' ? inline(`${slug}/${name}`) : undefined
}

/** The creation that resumes a Route which has not come to serve what it leads to. */
function creationOf(route: RouteData): string | undefined {
  const { status, replaces_route_id, domain, web_root, publication } = route
  const destination = destinationOf(route)
  if (status !== 'activating' || replaces_route_id !== null || destination === undefined) return undefined
  return [
    `fleet route:create ${inline(domain)} ${destination}`,
    ...(publication === 'public' ? ['--publication public'] : []),
    ...(web_root === null ? [] : [`--web-root ${inline(web_root)}`]),
  ].join(' ')
}

function destinationOf({ kind, targets: [target], node_id, process_id, upstream }: RouteData) {
  if (kind === 'app') return target && `--instance ${target.instance_id}`
  if (kind !== 'custom_proxy' || node_id === null) return undefined
  if (process_id !== null) return `--node ${node_id} --process ${process_id}`
  return upstream === null ? undefined : `--node ${node_id} --upstream ${inline(upstream)}`
}
