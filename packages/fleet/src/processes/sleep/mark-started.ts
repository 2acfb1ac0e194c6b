import type { NodeSession } from '#/nodes/api.ts'
import type { ProcessesParts } from '#/processes/parts.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { markInstance } from '#/processes/sleep/markers.ts'

/** A person started a Process that may sleep: that counts as a use of its Instance. */
export async function markStarted(
  { root = '' }: Pick<ProcessesParts, 'root'>,
  session: NodeSession,
  { environment, instanceId, keep_alive }: ProcessRecord,
): Promise<void> {
  if (instanceId === undefined || environment === 'production' || keep_alive === 1) return
  await session.ask(markInstance, { root, instanceId, as: 'started' })
}
