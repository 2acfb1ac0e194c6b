import type { Call } from '#/call.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceCommand, InstanceRecord } from '#/instances/record.ts'
import { requireInstance } from '#/instances/require.ts'
import { runCommands, type StepEnd, StepStopped } from '#/instances/steps/run-commands.ts'

/**
 * Runs a command of another domain in the checkout of an Instance as a lifecycle step runs: as the Node's user, without input,
 * output thrown away, its process group ended with its time (PRJ-065). Throws what the Node's shell throws.
 */
export async function runInCheckout(
  deps: InstanceDeps,
  call: Call,
  { id, node }: InstanceRecord,
  { name, command, limitSeconds }: InstanceCommand,
): Promise<StepEnd | 'succeeded'> {
  const { row, project } = await requireInstance(deps, id)
  const checkout = { session: deps.nodes.sessions.overTunnel(call, node), project }
  const step = {
    id: 0,
    project_id: project.id,
    list: 'setup',
    position: 1,
    created_at: row.created_at,
  } as const
  try {
    const commands = [{ ...step, name, command, timeout_seconds: limitSeconds }]
    await runCommands({ checkout, row, list: 'setup', commands })
    return 'succeeded'
  } catch (error) {
    if (error instanceof StepStopped) return error.outcome
    throw error
  }
}
