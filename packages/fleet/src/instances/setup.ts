import { fail } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { withLifecycleLock } from './locks.ts'
import type { InstanceDeps } from './deps.ts'
import type { InstanceRow } from './queries.ts'
import { presented, requireInstance, requireNodeActive, requireUnmoved } from './require.ts'
import { rulesOf } from './rules.ts'
import type { CheckoutSession } from './checkout-session.ts'
import { runCommands } from './steps/run-commands.ts'
import { requireNoTransfer } from './transfer/record.ts'
import { seedOf, setupError } from './steps/set-up-created.ts'
import { SETUP_FINISHED } from './steps/setup-log.ts'

/** Runs the Project's current setup list from the first step; a failure keeps the Instance, marked (INS-088, PRJ-064). */
export const makeSetup =
  (deps: InstanceDeps): Handler<'instance:setup'> =>
  async ({ call, input, found: seen }) => {
    const found = seen?.instance ?? (await requireInstance(deps, input.instance))
    call.note.subject('instance', found.row.id)
    call.note.target(found.node.id)
    const place = { projectId: found.row.project_id, name: found.row.name }
    return withLifecycleLock(deps.store, call, place, async () => {
      const { row, project, node } = await requireUnmoved(deps, found)
      if (!rulesOf(row).runsSteps || row.environment !== 'development')
        throw fail('instance.setup_unavailable')
      requireNoTransfer(row)
      requireNodeActive(node)
      const checkout = { session: deps.nodes.sessions.overTunnel(call, node), project }
      return { data: await presented(deps, await runSetup(deps, checkout, row), { project, node }) }
    })
  }

/** Runs the list from its first step and keeps the Instance whatever happens. */
export async function runSetup(
  { projects, queries, registrations }: InstanceDeps,
  checkout: CheckoutSession,
  row: InstanceRow,
): Promise<InstanceRow> {
  const commands = await projects.steps(row.project_id, 'setup')
  if (commands.length > 0)
    await queries.update(row.id, {
      setup: 'repeated',
      setup_done: null,
      failed_step: 'setup',
      error_code: null,
    })
  try {
    const seed = await seedOf({ queries }, row)
    await runCommands({ checkout, row, list: 'setup', commands, seed })
  } catch (error) {
    const failure = setupError(checkout, error)
    await queries.update(row.id, { error_code: failure.code })
    throw failure
  }
  // The directory that it was copied from is still there, whatever else has run since.
  const hasCopy = row.creation === 'register' && (await registrations.find(row.id))?.has_copy === 1
  return queries.update(row.id, { ...SETUP_FINISHED, ...(hasCopy ? { failed_step: 'release' } : {}) })
}
