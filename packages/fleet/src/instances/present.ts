import type { InstanceData, RemovalProgress, RouteData } from '@fleet/contract'
import { removalSteps } from '@fleet/contract'
import { presentTransfer } from './transfer/record.ts'
import type { Owner, ShownRow } from './queries.ts'

/** Row to record: the only way out. */
export function presentInstance(
  row: ShownRow,
  { project, node }: Owner,
  route: RouteData | undefined,
): InstanceData {
  return {
    id: row.id,
    project_id: row.project_id,
    node_id: row.node_id,
    project: { id: project.id, name: project.name, slug: project.slug, type: project.type },
    node: { id: node.id, name: node.name },
    name: row.name,
    environment: row.environment,
    source_layout: row.source_layout,
    checkout_path: row.checkout_path,
    production_user: row.production_user ?? null,
    production_home: row.production_home ?? null,
    root: row.root,
    effective_root: row.root ?? project.root,
    selected_branch: row.selected_branch,
    branch_override: row.branch_override,
    starting_commit: row.starting_commit,
    detached: row.detached === 1,
    migration_required: row.migration_required === 1,
    status: row.status,
    failed_step: row.failed_step,
    error_code: row.error_code,
    route: route ?? null,
    domain: route?.domain ?? null,
    url: route ? `https://${route.domain}` : null,
    removal: presentRemoval(row),
    transfer: presentTransfer(row),
    deploy_steps: [...(row.deploy_steps ?? [])],
    vite_port: row.vite_port,
    seed_path: row.seed_commit === null ? null : row.checkout_path,
    seed_commit: row.seed_commit,
    creation: row.creation,
    copy_mode: row.copy?.mode ?? null,
    source_instance: row.copy ? { id: row.copy.source.id, name: row.copy.source.name } : null,
    shared_databases: [...(row.copy?.shared ?? [])],
  }
}

/** Progress of a removal (INS-112); null before one is accepted. */
export function presentRemoval(row: ShownRow): RemovalProgress | null {
  const { removal_operation_id, removal_status: status, removal_step } = row
  if (!removal_operation_id || !status) return null
  const completed = row.removal_completed ?? 0
  const step = removal_step ?? null
  return {
    operation_id: removal_operation_id,
    id: row.id,
    name: row.name,
    force: row.removal_force === 1,
    status,
    current_step: step,
    total: removalSteps.length,
    completed,
    remaining: removalSteps.length - completed,
    failed_step: status === 'failed' ? step : null,
    error_code: row.removal_error_code ?? null,
  }
}

/** The last answer of a removal, when the row is gone. */
export const completedRemoval = (row: ShownRow, operationId: string, force: boolean): RemovalProgress => ({
  operation_id: operationId,
  id: row.id,
  name: row.name,
  force,
  status: 'completed',
  current_step: null,
  total: removalSteps.length,
  completed: removalSteps.length,
  remaining: 0,
  failed_step: null,
  error_code: null,
})
