import { fail, type RemovalData, type RemovalProgress } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { withDetails } from './error-details.ts'
import { withLifecycleLock, withOperationLock } from './locks.ts'
import type { InstanceDeps } from './deps.ts'
import type { InstanceRow } from './queries.ts'
import {
  findInstance,
  type FoundInstance,
  requireInstance,
  requireNodeActive,
  requireUnmoved,
} from './require.ts'
import { rulesOf } from './rules.ts'
import { requireNotCloned } from './production/candidate.ts'
import { nodeDetail, type CheckoutSession } from './checkout-session.ts'
import { removeRecord } from './residue/remove-record.ts'
import { acceptAndRun } from './steps/accept-removal.ts'
import { keepsContent } from './steps/finalize-source.ts'
import { inspect } from './steps/inspect.ts'
import { requireNoTransfer } from './transfer/record.ts'
import { runRemoval } from './steps/removal.ts'
import { type CommandRun, runCommands, stepError, StepStopped } from './steps/run-commands.ts'

/**
 * Removes an Instance and its checkout (INS-111 to INS-122): inspects the source, runs the teardown list, records the
 * removal and runs its steps; resumes an unfinished removal instead.
 */
export const makeDestroy =
  (deps: InstanceDeps): Handler<'instance:destroy'> =>
  async ({ call, input, found: seen }) => {
    const force = input.force ?? false
    const { row, node } = seen?.instance ?? (await requireInstance(deps, input.instance))
    call.note.subject('instance', row.id)
    call.note.target(node.id)
    const offline = input.offline ?? false
    call.note.property('force', force)
    call.note.property('offline', offline)
    const place = { projectId: row.project_id, name: row.name }
    return withLifecycleLock(deps.store, call, place, async () => {
      const found = await requireUnmoved(deps, { row })
      await requireFree(deps, found.row)
      const isLeft = await isSilent(deps, call, found.node, { force, offline })
      const remove = async (one: FoundInstance): Promise<RemovalData> => {
        const data = isLeft
          ? await removeRecord(deps, call, one)
          : await removeWhole(deps, call, one, { force, silent: offline ? [] : undefined })
        await call.publish('instance.deleted', { id: data.id, name: data.name })
        return data
      }
      if (force) await removeWorktrees(deps, call, found, { isLeft, remove })
      return { data: await remove(found) }
    })
  }

interface WorktreeRemoval {
  /** The Node is not asked. */
  readonly isLeft: boolean
  readonly remove: (worktree: FoundInstance) => Promise<unknown>
}

/**
 * What Git has of them is in this checkout, so they go before it (INS-119). None goes for a checkout that cannot be removed then: what
 * keeps that, or one of them, is looked for first.
 */
async function removeWorktrees(
  deps: InstanceDeps,
  call: Call,
  main: FoundInstance,
  { isLeft, remove }: WorktreeRemoval,
): Promise<void> {
  const worktrees = await deps.queries.worktreesOf(main.row.id)
  if (worktrees.length === 0) return
  for (const row of worktrees) await requireFree(deps, row)
  if (!isLeft) await requireRemovable(deps, call, main)
  for (const { id, project_id: projectId, name } of worktrees)
    await withLifecycleLock(deps.store, call, { projectId, name }, async () => {
      const found = await findInstance(deps, id)
      if (!found) return
      await requireFree(deps, found.row)
      await remove(found)
    })
}

/** Throws what a forced removal of the checkout is refused with, but for its teardown. */
async function requireRemovable(
  deps: InstanceDeps,
  call: Call,
  { row, node, project }: FoundInstance,
): Promise<void> {
  requireNodeActive(node)
  // Its own removal has found it as recorded, and may have deleted it since.
  if ((row.removal_completed ?? 0) > 0) return
  const session = deps.nodes.sessions.overTunnel(call, node)
  await inspect({ session, project }, row, { force: true, logins: deps.projects })
}

async function requireFree(deps: InstanceDeps, row: InstanceRow): Promise<void> {
  requireNoTransfer(row)
  await requireNotCloned(deps, row)
}

/** Removes an Instance that another operation was authorized to remove; does nothing for one that is gone (RTE-071, RTX-049). */
export async function removeAuthorized(deps: InstanceDeps, call: Call, id: number): Promise<void> {
  const seen = await findInstance(deps, id)
  if (!seen) return
  const place = { projectId: seen.row.project_id, name: seen.row.name }
  await withLifecycleLock(deps.store, call, place, async () => {
    const found = await findInstance(deps, id)
    if (!found) return
    await requireFree(deps, found.row)
    await removeWhole(deps, call, found, { force: false, silent: undefined })
    await call.publish('instance.deleted', { id, name: found.row.name })
  })
}

/** Asks the Node before anything else when it may be gone. Nobody can look for work on a silent one, so it is given up. */
async function isSilent(
  { nodes }: InstanceDeps,
  call: Call,
  node: NodeRecord,
  { force, offline }: { readonly force: boolean; readonly offline: boolean },
): Promise<boolean> {
  if (!offline) return false
  if (node.status === 'active' && (await nodes.answers(call, node))) return false
  if (!force) throw fail('node.confirmation_required', { details: nodeDetail({ node }) })
  return true
}

async function removeWhole(
  deps: InstanceDeps,
  call: Call,
  found: FoundInstance,
  options: RemovalOptions,
): Promise<RemovalData> {
  const session = deps.nodes.sessions.overTunnel(call, found.node)
  const remove = rulesOf(found.row).isLeaving ? resume : begin
  const progress = await remove(deps, { session, project: found.project }, found, options)
  const silent = new Map(options.silent?.map((router) => [router.id, router]))
  const retained_on_nodes = [...silent.values()].map(({ id, name }) => ({
    node_id: id,
    node: name,
    path: null,
  }))
  return { ...progress, retained_on_nodes }
}

type Remove = (
  deps: InstanceDeps,
  checkout: CheckoutSession,
  found: FoundInstance,
  options: RemovalOptions,
) => Promise<RemovalProgress>

interface RemovalOptions {
  readonly force: boolean
  /** With `offline`: Routers that did not answer. */
  readonly silent: NodeRecord[] | undefined
}

const begin: Remove = async (deps, checkout, { row, node }, { force, silent }) => {
  requireNodeActive(node)
  if (!rulesOf(row).runsSteps || keepsContent(row))
    return underOperationLock(deps, checkout, row.id, () =>
      acceptAndRun(deps, checkout, row, { force, silent }),
    )
  const commands = await deps.projects.steps(row.project_id, 'teardown')
  // Before the teardown: a source that is refused must not lose what its teardown would take down.
  const firstLook = await inspect(checkout, row, { force, logins: deps.projects })
  if (firstLook !== undefined) await tearDown({ checkout, row, list: 'teardown', commands })
  return underOperationLock(deps, checkout, row.id, async () => {
    // The steps may have changed the source.
    const safeHeads =
      commands.length > 0 ? await inspect(checkout, row, { force, logins: deps.projects }) : firstLook
    return acceptAndRun(deps, checkout, row, { force, safeHeads, silent })
  })
}

const tearDown = async (run: CommandRun): Promise<void> => {
  try {
    await runCommands(run)
  } catch (error) {
    if (error instanceof StepStopped) throw stepError(run.checkout, 'teardown', error)
    throw withDetails(error, {}, 'instance.teardown_step_failed')
  }
}

const resume: Remove = async (deps, checkout, { row, node }, { force, silent }) => {
  if (row.removal_force === 1 && !force) throw fail('instance.removal_conflict')
  requireNodeActive(node)
  const operationId = row.removal_operation_id ?? deps.ids.uuid()
  return underOperationLock(deps, checkout, row.id, async () => {
    const upgraded =
      force && row.removal_force !== 1 ? await deps.queries.update(row.id, { removal_force: 1 }) : row
    return runRemoval({
      ...deps,
      checkout,
      row: upgraded,
      operationId,
      force,
      safeHeads: undefined,
      silent,
    })
  })
}

const underOperationLock = <T>(
  deps: InstanceDeps,
  { session }: CheckoutSession,
  id: number,
  work: () => Promise<T>,
): Promise<T> => withOperationLock(deps.store, session.call, id, 'instance.lifecycle_busy', work)
