import type { Call } from '#/call.ts'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import { lifecycleLock } from '#/instances/locks.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { presented } from '#/instances/require.ts'
import type { SourceProfile } from '#/instances/record.ts'
import { examined } from '#/instances/steps/profile-source.ts'
import { projectAnew } from '#/instances/sources/project-anew.ts'
import { inspect, type Following } from '#/instances/sources/inspect.ts'
import { leadOrigin, type OriginChange, type SwitchedBranch, switchTo } from '#/instances/sources/switch.ts'
import { holdingAll } from '#/locks/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { rulesOf } from '#/instances/rules.ts'
import type { ProjectRecord, TypedInstance } from '#/projects/api.ts'
import type { InstanceData } from '@fleet/contract'

/** An Instance of a Project that changes, with what is asked on its Node. */
export interface ProjectCheckout {
  readonly row: InstanceRow
  readonly node: NodeRecord
}

/** What a change of a Project asks of the Instances of it. */
export interface ProjectCheckouts {
  /** All of them, by id. */
  of(projectId: number): Promise<readonly ProjectCheckout[]>
  /** What the type of the Project decides about. */
  typed(projectId: number): Promise<readonly TypedInstance[]>
  /** Runs the work while none of them is created, set up or removed. Throws `instance.lifecycle_busy`. */
  whileIdle<T>(call: Call, of: readonly ProjectCheckout[], work: () => Promise<T>): Promise<T>
  /**
   * Whether the checkout can follow. Throws `project.repository_preflight_failed`, `project.repository_unowned_common`,
   * `project.source_switch_failed` and the codes of a checkout.
   */
  inspect(call: Call, of: ProjectCheckout, following: Following): ReturnType<typeof inspect>
  /** Throws `app-dev.…_source_invalid` and `app-dev.source_metadata_unsafe` for a web root that cannot be used. */
  examine(call: Call, of: ProjectCheckout, project: ProjectRecord): Promise<SourceProfile>
  /** Throws `project.repository_origin_failed`. */
  leadOrigin(call: Call, of: ProjectCheckout, change: OriginChange): Promise<void>
  /** Throws `project.source_switch_failed`. */
  switchBranch(call: Call, of: ProjectCheckout, change: SwitchedBranch): Promise<void>
  /**
   * Its kind and its first `.env` below the web root that the Project has now. With stored configuration the caller writes that file:
   * the keys of an example would be in its way.
   */
  projectAnew(
    call: Call,
    of: ProjectCheckout,
    project: ProjectRecord,
    how: { readonly isStored: boolean },
  ): Promise<void>
  /** The record as it is answered. */
  present(of: ProjectCheckout, project: ProjectRecord): Promise<InstanceData>
  /** In the transaction that publishes the branch. */
  storeBranch: InstanceDeps['queries']['storeBranch']
}

export function makeProjectCheckouts(deps: InstanceDeps): ProjectCheckouts {
  const on = (call: Call, { node }: ProjectCheckout, project: ProjectRecord): CheckoutSession => ({
    session: deps.nodes.sessions.overTunnel(call, node),
    project,
  })
  return {
    of: (projectId) => checkoutsOf(deps, projectId),
    typed: (projectId) => typed(deps, projectId),
    whileIdle: (call, all, work) =>
      holdingAll(
        deps.store,
        call,
        all.map(({ row }) => lifecycleLock({ projectId: row.project_id, name: row.name })),
        work,
      ),
    inspect: async (call, of, following) => {
      const { project, url = project.repository_url } = following
      const login = await deps.projects.login(call, { ...project, repository_url: url })
      return inspect(on(call, of, project), of.row, following, login)
    },
    examine: (call, of, project) => examined(on(call, of, project), of.row),
    leadOrigin: (call, of, change) => leadOrigin(on(call, of, change.project), of.row, change),
    switchBranch: async (call, of, change) => {
      const login = await deps.projects.login(call, change.project)
      await switchTo(on(call, of, change.project), of.row, change, login)
    },
    projectAnew: (call, of, project, how) => projectAnew(deps, on(call, of, project), of.row, how),
    present: (of, project) => presented(deps, of.row, { project, node: of.node }),
    storeBranch: (...given) => deps.queries.storeBranch(...given),
  }
}

async function typed(
  { queries, routes }: Pick<InstanceDeps, 'queries' | 'routes'>,
  projectId: number,
): Promise<readonly TypedInstance[]> {
  const rows = (await queries.ofProject(projectId)).filter((row) => !rulesOf(row).isLeaving)
  const own = await routes.own(rows.map(({ id }) => id))
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    root: row.root,
    isActive: rulesOf(row).isCreated,
    hasRoute: own.has(row.id),
  }))
}

async function checkoutsOf(
  { queries, nodes }: Pick<InstanceDeps, 'queries' | 'nodes'>,
  projectId: number,
): Promise<readonly ProjectCheckout[]> {
  const rows = await queries.ofProject(projectId)
  const known = new Map<number, NodeRecord>()
  for (const nodeId of new Set(rows.map(({ node_id }) => node_id))) {
    const node = await nodes.find(nodeId)
    if (node) known.set(nodeId, node)
  }
  return rows.flatMap((row) => {
    const node = known.get(row.node_id)
    // A Node goes with its Instances: one that is missing went between the reads.
    return node ? [{ row, node }] : []
  })
}
