import { fail, type InputOf } from '@fleet/contract'
import type { CopyRecord, NewRow } from '@fleet/store'
import type { Call } from '#/call.ts'
import { appsRoot } from '#/nodes/api.ts'
import { holdDevelopmentRole, type Placement, requireSameProject } from './guards.ts'
import type { InstanceDeps } from './deps.ts'
import type { PlannedDatabase, PlannedRoute } from './ports.ts'
import { type InstanceRow, reserveRow } from './queries.ts'
import { addRegistration } from './registration/queries.ts'
import { DEFAULT_NAME, freePort } from './rules.ts'
import { nodeDetail } from './checkout-session.ts'

type CreateInput = InputOf<'instance:create'>

export interface Reservation {
  readonly placement: Placement
  readonly input: CreateInput
  readonly effectiveRoot: string
  /** The directory that becomes its checkout. */
  readonly registeredFrom?: string | undefined
  /** Of a linked worktree: the Instance with its repository. */
  readonly worktreeOf?: number | undefined
  /** What it becomes a copy of. */
  readonly copy?: CopyRecord | undefined
}

/** Losing this many ports in a row to other creations on the Node means that something else is wrong. */
const MAX_TRIES = 64

/**
 * Records the Instance with its path, port and Route before any work on the Node (INS-017). The unique columns decide between
 * concurrent creations: a lost port is tried again with the next free one.
 */
export async function reserve(
  deps: InstanceDeps,
  call: Call,
  { placement, input, effectiveRoot, registeredFrom, worktreeOf, copy }: Reservation,
): Promise<InstanceRow> {
  return deps.projects.withLock(call, placement.project.id, async () => {
    await requireSameProject(deps, placement)
    const { name, domain } = input
    const route = await deps.routes.plan(placement, { name, domain, effectiveRoot })
    const wanted = { name, server: input.database_server }
    // A source that exists already has its databases, or none.
    const database =
      copy !== undefined
        ? 'copy'
        : registeredFrom === undefined
          ? await deps.databases.plan(call, placement, wanted)
          : undefined
    const seed =
      name === DEFAULT_NAME || copy !== undefined || registeredFrom !== undefined
        ? undefined
        : await deps.queries.findSeed(placement.project.id, placement.node.id)
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const belonging = { route, database, registeredFrom, worktreeOf: worktreeOf ?? seed?.id, copy }
      const row = await tryOnce(deps, placement, input, belonging)
      if (row) return row
      await refuseTaken(deps, placement, input)
    }
    throw fail('instance.ports_exhausted', { details: nodeDetail(placement) })
  })
}

/** Where an Instance of this name has its checkout. */
export const pathFor = ({ project, node }: Placement, { name }: Pick<CreateInput, 'name'>): string =>
  `${appsRoot(node).replace(/\/$/, '')}/${project.slug}/${name}`

/** What is stored with the Instance. */
interface Belonging extends Pick<Reservation, 'registeredFrom' | 'worktreeOf' | 'copy'> {
  readonly route: PlannedRoute | undefined
  readonly database: PlannedDatabase | undefined
}

async function tryOnce(
  { queries, ids, clock, store, routes }: InstanceDeps,
  placement: Placement,
  input: CreateInput,
  { route, database, registeredFrom, worktreeOf, copy }: Belonging,
): Promise<InstanceRow | undefined> {
  const port = freePort(await queries.portsOn(placement.node.id))
  if (port === undefined) throw fail('instance.ports_exhausted', { details: nodeDetail(placement) })
  const values: NewRow<'instances'> = {
    project_id: placement.project.id,
    node_id: placement.node.id,
    name: input.name,
    environment: 'development',
    source_layout: worktreeOf === undefined ? 'checkout' : 'worktree',
    worktree_of: worktreeOf ?? null,
    checkout_path: pathFor(placement, input),
    root: input.root ?? null,
    branch_override: input.branch ?? null,
    detached: 0,
    migration_required: 0,
    database_server: input.database_server ?? null,
    database_pending: database ?? null,
    creation: copy ? 'copy' : registeredFrom === undefined ? 'repository' : 'register',
    copy: copy ?? null,
    status: 'reserved',
    vite_port: port,
    preparation_id: ids.uuid(),
    created_at: clock.now().toISOString(),
  }
  return store.transaction(async (db) => {
    await holdDevelopmentRole(db, placement.node)
    const row = await reserveRow(db, values)
    if (row && route) await routes.reserve(db, row, route)
    if (row && registeredFrom !== undefined) await addRegistration(db, row.id, registeredFrom)
    return row
  })
}

const refuseTaken = async (
  { queries }: InstanceDeps,
  placement: Placement,
  input: CreateInput,
): Promise<void> => {
  const named = await queries.findNamed(placement.project.id, input.name)
  if (named) throw fail('instance.placement_conflict', { details: { instance_id: named.id } })
  const checkoutPath = pathFor(placement, input)
  if (!(await queries.isPathTaken(placement.node.id, checkoutPath))) return
  throw fail(input.name === DEFAULT_NAME ? 'instance.default_path_occupied' : 'instance.path_taken', {
    details: { ...nodeDetail(placement), checkout_path: checkoutPath },
  })
}
