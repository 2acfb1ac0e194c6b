import type { DeploymentDetailData, InstanceDeploymentData } from '@fleet/contract'
import type { DeploymentRow, ShownDeployment } from '#/deployments/queries.ts'

export const presentDeployment = (row: ShownDeployment): InstanceDeploymentData => ({
  id: row.id,
  instance_id: row.instance_id,
  release: row.release,
  branch: row.branch,
  commit: row.commit_id,
  started_at: row.started_at,
  finished_at: row.finished_at,
  duration_seconds: row.duration_ms === null ? null : row.duration_ms / 1000,
  status: row.status,
  failed_step: row.failed_step,
  // A run that has not ended has not failed yet.
  error_code: row.status === 'failed' ? row.error_code : null,
  selected_release: row.selected_release,
  triggered_by: row.triggered_by,
})

export const presentDetail = (row: DeploymentRow): DeploymentDetailData => ({
  ...presentDeployment(row),
  events: [...row.events],
})
