import { fail, type RemovalData, type RemovalProgress } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import { withDetails } from '#/error-details.ts'
import type { Handler } from '#/handler.ts'
import { holdingAll } from '#/locks/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { lifecycleLock, withLifecycleLock, withOperationLock } from './locks.ts'
import type { InstanceDeps } from './deps.ts'
import type { InstanceRow } from './queries.ts'
import type { RemovedDatabase } from './ports.ts'
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
import { isResidue } from './steps/finalize-source.ts'
import { inspect } from './steps/inspect.ts'
import { requireNoTransfer } from './transfer/record.ts'
import { runRemoval } from './steps/removal.ts'
import { afterTeardown, hasTeardown, tearDown } from './steps/tear-down.ts'

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
      const isLeft = await isSilent(deps, call, found.node, { force, offline })
      await requireFree(deps, found.row, isLeft)
      const worktrees = force ? await deps.queries.worktreesOf(row.id) : []
      const owned = await ownedDatabases(deps, [found.row, ...worktrees])
      const leaving = [found.row, ...worktrees].map(({ id }) => id)
      const silent = offline ? [] : undefined
      const remove: RemoveOne = async (one, isTornDown) => {
        const data = isLeft
          ? await removeRecord(deps, call, one, leaving)
          : await removeWhole(deps, call, one, { force, silent, isTornDown, leaving })
        await call.publish('instance.deleted', { id: data.id, name: data.name })
        return data
      }
      const data = await removeWithWorktrees(deps, call, found, { worktrees, isLeft, remove }).catch(
        async (error: unknown) => {
          throw await withWorktrees(deps, error, row)
        },
      )
      const databases = await deps.ownedDatabases.retainedOf(owned)
      return {
        data: {
          ...data,
          retained_on_nodes: [...data.retained_on_nodes, ...databases],
          removed_instances: namesOf(worktrees),
          removed_databases: gone(owned, { retained: databases, hasFiles: isLeft || isKept(found.row) }),
        },
      }
    })
  }

/** The refusal of a checkout with linked worktrees names the Instances that force would remove too. */
async function withWorktrees(
  { queries }: Pick<InstanceDeps, 'queries'>,
  error: unknown,
  { id }: Pick<InstanceRow, 'id'>,
): Promise<unknown> {
  if (!(error instanceof CodedError) || error.code !== 'instance.remove_refused') return error
  const worktrees = await queries.worktreesOf(id)
  if (worktrees.length === 0) return error
  return withDetails(error, { instances: namesOf(worktrees) }, 'instance.removal_failed')
}

/** In production the home stays, with its file (INS-118). */
const isKept = ({ environment }: Pick<InstanceRow, 'environment'>): boolean => environment === 'production'

/** Those of which nothing stays. */
const gone = (
  databases: readonly RemovedDatabase[],
  { retained, hasFiles }: { readonly retained: RemovalData['retained_on_nodes']; readonly hasFiles: boolean },
) =>
  databases
    .filter(({ server_id, node_id, database_name }) =>
      server_id === null
        ? !hasFiles
        : !retained.some((kept) => kept.node_id === node_id && kept.database === database_name),
    )
    .map(({ slug, database_name: database, path }) => ({ slug, database, path }))

const namesOf = (rows: readonly InstanceRow[]) => rows.map(({ id, name }) => ({ id, name }))

/**
 * Databases that go with the first of these Instances and the others. Throws when anybody else uses one, unless its removal has begun
 * (decision 0367).
 */
async function ownedDatabases(
  { ownedDatabases: databases }: InstanceDeps,
  [main, ...others]: readonly [InstanceRow, ...InstanceRow[]],
): Promise<readonly RemovedDatabase[]> {
  const ids = [main, ...others].map(({ id }) => id)
  const owned = await databases.ownedBy(ids)
  if (!rulesOf(main).isLeaving) await databases.requireUnused(owned, ids)
  return owned
}

type RemoveOne = (one: FoundInstance, isTornDown: boolean) => Promise<RemovalData>

interface WorktreeRemoval {
  /** None where they are not removed too. */
  readonly worktrees: readonly InstanceRow[]
  /** The Node is not asked. */
  readonly isLeft: boolean
  readonly remove: RemoveOne
}

/**
 * What Git has of them is in this checkout, so they go before it (INS-119). None goes for a checkout that cannot be removed then: before
 * the first one, all are looked at and torn down, the checkout last.
 */
async function removeWithWorktrees(
  deps: InstanceDeps,
  call: Call,
  main: FoundInstance,
  { worktrees: rows, isLeft, remove }: WorktreeRemoval,
): Promise<RemovalData> {
  if (rows.length === 0) return remove(main, false)
  const locks = rows.map(({ project_id: projectId, name }) => lifecycleLock({ projectId, name }))
  return holdingAll(deps.store, call, locks, async () => {
    const found = await Promise.all(rows.map(({ id }) => findInstance(deps, id)))
    const worktrees = found.filter((one) => one !== undefined)
    for (const { row } of worktrees) await requireFree(deps, row, isLeft)
    if (!isLeft) await tearDownAll(deps, call, [...worktrees, main])
    // Again: the teardowns may have taken hours, and who is refused after the first one is removed has lost it.
    const all: readonly [InstanceRow, ...InstanceRow[]] = [main.row, ...worktrees.map(({ row }) => row)]
    await ownedDatabases(deps, all).catch(async (error: unknown) => {
      throw isLeft ? error : await afterTeardown(deps, main.row, error)
    })
    for (const worktree of worktrees) await remove(worktree, true)
    return remove(main, true)
  })
}

async function tearDownAll(deps: InstanceDeps, call: Call, all: readonly FoundInstance[]): Promise<void> {
  const checkoutOf = ({ node, project }: FoundInstance): CheckoutSession => ({
    session: deps.nodes.sessions.overTunnel(call, node),
    project,
  })
  for (const one of all) await requireRemovable(deps, checkoutOf(one), one)
  for (const one of all) if (hasTeardown(one.row)) await tearDown(deps, checkoutOf(one), one.row, true)
}

/** Throws what a forced removal is refused with, but for its teardown. */
async function requireRemovable(
  { projects }: InstanceDeps,
  checkout: CheckoutSession,
  { row, node }: FoundInstance,
): Promise<void> {
  requireNodeActive(node)
  // Its own removal has found it as recorded, and may have deleted it since.
  if ((row.removal_completed ?? 0) > 0) return
  if (hasTeardown(row) || (rulesOf(row).isLeaving && !isResidue(row)))
    await inspect(checkout, row, { force: true, logins: projects })
}

/** A transfer whose Node is given up can neither be finished nor undone, so it goes too (decision 0386). */
async function requireFree(deps: InstanceDeps, row: InstanceRow, isLeft: boolean): Promise<void> {
  if (!isLeft) requireNoTransfer(row)
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
    await requireFree(deps, found.row, false)
    await ownedDatabases(deps, [found.row])
    const options = { force: false, silent: undefined, isTornDown: false, leaving: [id] }
    await removeWhole(deps, call, found, options)
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
    database: null,
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
  /** Its teardown list has run. */
  readonly isTornDown: boolean
  /** Ids of the Instances that the request removes. */
  readonly leaving: readonly number[]
}

const begin: Remove = async (deps, checkout, { row, node }, { force, silent, isTornDown, leaving }) => {
  requireNodeActive(node)
  if (!hasTeardown(row))
    return underOperationLock(deps, checkout, row.id, () =>
      acceptAndRun(deps, checkout, row, { force, silent, leaving }),
    )
  const torn = isTornDown ? undefined : await tearDown(deps, checkout, row, force)
  return underOperationLock(deps, checkout, row.id, async () => {
    await requireNoWorktree(deps, checkout, row)
    // The steps may have changed the source.
    const safeHeads =
      torn?.isUnchanged === true ? torn.heads : await inspect(checkout, row, { force, logins: deps.projects })
    return acceptAndRun(deps, checkout, row, { force, safeHeads, silent, leaving, isTornDown: true })
  })
}

/** One may have been registered since those were looked for. One that is only reserved has nothing in this checkout. */
async function requireNoWorktree(
  { queries }: InstanceDeps,
  { session }: CheckoutSession,
  { id }: InstanceRow,
): Promise<void> {
  const worktrees = await queries.worktreesOf(id)
  if (worktrees.some(({ status }) => status !== 'reserved'))
    throw fail('instance.source_worktrees_mismatch', { details: nodeDetail(session) })
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
