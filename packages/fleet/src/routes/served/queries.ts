import type { ProjectType } from '@fleet/contract'
import type { Database, Row, TargetPhase } from '@fleet/store'
import type { RouteRow } from '#/routes/record.ts'

/** A Route with what is served of one Instance that it leads to. */
export interface ServedRow {
  readonly route: RouteRow
  readonly instance: ServedInstance
  /** Null for a target that is simply in the pool. */
  readonly phase: TargetPhase | null
}

export interface ServedInstance extends Pick<
  Row<'instances'>,
  | 'id'
  | 'project_id'
  | 'node_id'
  | 'status'
  | 'environment'
  | 'name'
  | 'checkout_path'
  | 'root'
  | 'vite_port'
  | 'profile'
  | 'production_user'
  | 'production_home'
  | 'selected_release'
> {
  readonly project_root: string | null
  readonly project_type: ProjectType
  /** Tunnel address of its Node. */
  readonly node_address: string | null
  readonly node_lan: string | null
}

const SERVED = [
  'instances.id as i_id',
  'instances.node_id as i_node_id',
  'instances.project_id as i_project_id',
  'instances.status as i_status',
  'instances.environment',
  'instances.name',
  'instances.checkout_path',
  'instances.root',
  'instances.vite_port',
  'instances.profile',
  'instances.production_user',
  'instances.production_home',
  'instances.selected_release',
  'projects.root as project_root',
  'projects.type as project_type',
  'nodes.wireguard_ip as node_address',
  'nodes.lan_ip as node_lan',
  'route_targets.phase',
] as const

/** By id of the Route; also targets on their way into a pool or out of it where `isMoving` is asked for. */
export async function servedRows(
  db: Database,
  where: {
    readonly nodeId?: number
    readonly projectId?: number
    readonly instanceId?: number
    readonly routeId?: number
    readonly routeIds?: readonly number[]
    readonly isMoving?: true
  },
): Promise<readonly ServedRow[]> {
  let query = db
    .selectFrom('routes')
    .innerJoin('route_targets', 'route_targets.route_id', 'routes.id')
    .innerJoin('instances', 'instances.id', 'route_targets.instance_id')
    .innerJoin('projects', 'projects.id', 'instances.project_id')
    .innerJoin('nodes', 'nodes.id', 'instances.node_id')
    .selectAll('routes')
    .select(SERVED)
    .where('routes.kind', '=', 'app')
    .orderBy('routes.id')
    .orderBy('route_targets.position')
  if (where.nodeId !== undefined) query = query.where('instances.node_id', '=', where.nodeId)
  if (where.projectId !== undefined) query = query.where('instances.project_id', '=', where.projectId)
  if (where.instanceId !== undefined) query = query.where('instances.id', '=', where.instanceId)
  if (where.routeId !== undefined) query = query.where('routes.id', '=', where.routeId)
  if (where.routeIds) query = query.where('routes.id', 'in', [...where.routeIds])
  if (!where.isMoving)
    query = query.where((eb) =>
      eb.or([eb('route_targets.phase', 'is', null), eb('route_targets.phase', '=', 'joined')]),
    )
  return (await query.execute()).map(
    ({
      i_id,
      i_node_id,
      i_project_id,
      i_status,
      environment,
      name,
      checkout_path,
      root,
      vite_port,
      profile,
      production_user,
      production_home,
      selected_release,
      project_root,
      project_type,
      node_address,
      node_lan,
      phase,
      ...route
    }) => ({
      route,
      phase,
      instance: {
        id: i_id,
        node_id: i_node_id,
        project_id: i_project_id,
        status: i_status,
        environment,
        name,
        checkout_path,
        root,
        vite_port,
        profile,
        production_user,
        production_home,
        selected_release,
        project_root,
        project_type,
        node_address,
        node_lan,
      },
    }),
  )
}
