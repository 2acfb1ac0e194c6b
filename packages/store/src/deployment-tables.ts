import type {
  DeploymentFailure,
  DeploymentLine,
  DeploymentPhase,
  InstanceDeploymentData,
} from '@fleet/contract'
import type { Generated } from 'kysely'
import type { Json } from '#/column-types.ts'

export interface DeploymentsTable {
  id: Generated<number>
  instance_id: number
  request_id: string
  release: string | null
  branch: string | null
  commit_id: string | null
  started_at: string
  finished_at: string | null
  duration_ms: number | null
  status: InstanceDeploymentData['status']
  /** The phase that began last: where a run that nobody ended was. */
  phase: DeploymentPhase | null
  failed_step: DeploymentFailure | null
  /** Of a run that has not ended: why it will have failed. */
  error_code: string | null
  selected_release: string | null
  triggered_by: string
  /** The lines of its stream; of the output the newest 128 KiB. */
  events: Json<readonly DeploymentLine[]>
}
