import type { ActivityNotice } from '@fleet/contract'
import type { ActivityPublisher } from '#/activities/ports.ts'

/** The columns of a row that the feed publishes. */
export interface StoredRow extends Omit<ActivityNotice, 'target_node_id' | 'caller_node_id'> {
  readonly target_node_id?: number | null
  readonly caller_node_id?: number | null
}

/** A row as its notice; null columns stay null (EV-066, EV-075). Rows about Activities are not published (EV-072). */
export async function publishRow(
  publisher: ActivityPublisher,
  type: 'activity.created' | 'activity.updated',
  row: StoredRow,
): Promise<void> {
  if (row.command.startsWith('activity:')) return
  await publisher.report(type, {
    id: row.id,
    request_id: row.request_id,
    command: row.command,
    status: row.status,
    caller_node_id: row.caller_node_id ?? null,
    target_node_id: row.target_node_id ?? null,
    error_code: row.error_code,
    duration_ms: row.duration_ms,
    occurred_at: row.occurred_at,
  })
}
