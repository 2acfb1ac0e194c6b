import { fail, type InputOf } from '@fleet/contract'
import type { NewRow } from '@fleet/store'
import type { Call } from '#/call.ts'
import { nodeDetail } from '#/instances/checkout-session.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import type { FoundInstance } from '#/instances/require.ts'
import { holdRole, type NodeRecord } from '#/nodes/api.ts'
import { reserveRow } from '#/instances/queries.ts'
import type { CandidateSource } from './candidate.ts'
import { effectiveRoot } from '#/instances/rules.ts'
import { homePaths, INITIAL_RELEASE } from './home.ts'
import { requireClonable } from './require-clonable.ts'

interface CloneReservation {
  readonly candidate: FoundInstance
  readonly node: NodeRecord
  readonly input: InputOf<'instance:clone'>
  readonly source: CandidateSource
}

/**
 * Records the clone with its user, home and preview before any work on the Node. Throws `instance.production_placement_conflict`,
 * `instance.node_not_app_prod`, `route.tld_required`, `route.domain_conflict` and what `requireClonable` does.
 */
export async function reserveClone(
  deps: Pick<
    InstanceDeps,
    'homes' | 'definitions' | 'ids' | 'clock' | 'store' | 'routes' | 'projects' | 'nodes'
  >,
  call: Call,
  { candidate: { row: from, project }, node, input, source }: CloneReservation,
): Promise<InstanceRow> {
  const { homes, ids, clock, store, routes } = deps
  const { user, home } = homes.accountFor(node, project.slug, input.name)
  const root = effectiveRoot({ root: from.root, project })
  const preview = await routes.planPreview(
    { project, node },
    { previewName: input.preview_name, effectiveRoot: root },
  )
  const branch = input.branch ?? source.branch
  await requireClonable(deps, call, { project, node, branch, account: { user, home } })
  const values: NewRow<'instances'> = {
    project_id: project.id,
    node_id: node.id,
    name: input.name,
    environment: 'production',
    source_layout: null,
    checkout_path: homePaths(home).release(INITIAL_RELEASE),
    production_user: user,
    production_home: home,
    root: from.root,
    selected_branch: branch,
    branch_override: input.branch ?? null,
    detached: 0,
    migration_required: 0,
    status: 'reserved',
    preparation_id: ids.uuid(),
    created_at: clock.now().toISOString(),
    creation: 'clone',
    clone_candidate_id: from.id,
    clone: {
      preview_name: input.preview_name,
      branch: input.branch ?? null,
      sqlite_source_path: input.sqlite_source_path ?? null,
      candidate_source: source.source,
      done: [],
    },
  }
  const row = await store.transaction(async (db) => {
    if (!(await holdRole(db, node.id, 'app-prod')))
      throw fail('instance.node_not_app_prod', { details: nodeDetail({ node }) })
    const reserved = await reserveRow(db, values)
    if (reserved && preview) await routes.reserve(db, reserved, preview)
    return reserved
  })
  if (row) return row
  throw fail('instance.production_placement_conflict', {
    details: { ...nodeDetail({ node }), user, home },
  })
}
