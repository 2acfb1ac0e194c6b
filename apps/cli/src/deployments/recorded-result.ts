import type { DeploymentDetailData, DeploymentLine } from '@fleet/contract'

type Result = Extract<DeploymentLine, { type: 'result' }>

/** A run that its gateway did not end has no result among its lines; its record says what came of it. Undefined while it runs. */
export function recordedResult({ events, ...record }: DeploymentDetailData): Result | undefined {
  if (record.status === 'running' || events.some(({ type }) => type === 'result')) return undefined
  const last = events.at(-1)
  return {
    type: 'result',
    sequence: (last?.sequence ?? 0) + 1,
    request_id: last?.request_id ?? '',
    deployment_id: record.id,
    at: record.finished_at ?? last?.at ?? record.started_at,
    status: record.status,
    failed_step: record.failed_step,
    error_code: record.error_code,
    selected_release: record.selected_release,
  }
}
