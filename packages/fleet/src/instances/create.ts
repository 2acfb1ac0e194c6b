import { fail, type InputOf, type InstanceData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { type CopySource, requireCopySource } from './copies/source.ts'
import type { Handler } from '#/handler.ts'
import { type Placement, requirePlacement, requireSameProject, requireUsable } from './guards.ts'
import { withLifecycleLock } from './locks.ts'
import type { InstanceDeps } from './deps.ts'
import type { InstanceRow } from './queries.ts'
import { publishKept } from './publish-kept.ts'
import { presented } from './require.ts'
import { reserve } from './reserve.ts'
import { type Compared, isRepeat, otherValues } from '#/repeats.ts'
import { beingRemoved, comparedPlacement, isSameDomain, isSetupInterrupted, rulesOf } from './rules.ts'
import { provideDatabase } from './steps/provide-database.ts'
import { runCreation } from './steps/run-creation.ts'
import { setUpCreated } from './steps/set-up-created.ts'

type CreateInput = InputOf<'instance:create'>
type Created = { readonly data: InstanceData; readonly created: boolean }

/**
 * Creates a development Instance or resumes an unfinished creation (INS-049, INS-050). A failure before `active`
 * removes what the attempt created; a failed setup removes the Instance again (PRJ-069).
 */
export const makeCreate =
  (deps: InstanceDeps): Handler<'instance:create'> =>
  async ({ call, input }) => {
    const placement = await requirePlacement(deps, input)
    const { project, node } = placement
    call.note.target(node.id)
    const known = await deps.queries.findNamed(project.id, input.name)
    if (known && isSettled(known) && isRepeat(await comparedRequest(deps, known, placement, input))) {
      call.note.subject('instance', known.id)
      return { data: await presented(deps, known, placement), created: false }
    }
    const effectiveRoot = await requireUsable(deps.nodes, placement, input)
    return withLifecycleLock(deps.store, call, { projectId: project.id, name: input.name }, async () => {
      const stored = await deps.queries.findNamed(project.id, input.name)
      const existing = await resumable(deps, stored, placement, input)
      const isMade = existing !== undefined && rulesOf(existing).isCreated
      const source = isMade ? undefined : await requireCopySource(deps, call, placement, input)
      const wanted = { placement, input, effectiveRoot, copy: source?.record }
      const row = existing ?? (await reserve(deps, call, wanted))
      call.note.subject('instance', row.id)
      return finish(deps, call, placement, { row, source, isFresh: existing === undefined })
    })
  }

interface Attempt {
  readonly row: InstanceRow
  /** What it is a copy of, until it is created. */
  readonly source: CopySource | undefined
  readonly isFresh: boolean
}

async function finish(
  deps: InstanceDeps,
  call: Call,
  placement: Placement,
  { row, source, isFresh }: Attempt,
): Promise<Created> {
  if (isSettled(row)) return { data: await presented(deps, row, placement), created: false }
  const checkout = {
    session: deps.nodes.sessions.overTunnel(call, placement.node),
    project: placement.project,
    isNew: true,
  }
  const wasActive = rulesOf(row).isCreated
  const made = async (): Promise<InstanceRow> => {
    const active = wasActive ? row : await runCreation(deps, checkout, row, { isFresh, source })
    const provided = await provideDatabase(deps, checkout, { row: active, wasActive })
    return setUpCreated(deps, checkout, { row: provided, wasActive })
  }
  const ready = await made().catch(async (error: unknown) => {
    await publishKept(deps, call, { id: row.id, placement }, isLeft)
    throw error
  })
  const data = await presented(deps, ready, placement)
  call.event('instance.created', data)
  return { data, created: isFresh }
}

/** The identical request does not finish it (PRJ-070). */
const isLeft = (row: InstanceRow): boolean => isSettled(row) || rulesOf(row).isLeaving

/** Created, and not waiting for its database or in the middle of its first setup. */
const isSettled = (row: InstanceRow): boolean =>
  rulesOf(row).isCreated && row.database_pending === null && !isSetupInterrupted(row)

/** The stored Instance beside what is asked for (INS-050, INS-051). */
async function comparedRequest(
  { routes }: InstanceDeps,
  row: InstanceRow,
  { project }: Placement,
  input: CreateInput,
): Promise<Compared> {
  const route = (await routes.own([row.id])).get(row.id)
  return {
    ...comparedPlacement(row, input),
    domain: isSameDomain(route, { type: project.type, domain: input.domain }),
  }
}

async function resumable(
  deps: InstanceDeps,
  row: InstanceRow | undefined,
  placement: Placement,
  input: CreateInput,
): Promise<InstanceRow | undefined> {
  if (!row) return undefined
  const compared = await comparedRequest(deps, row, placement, input)
  if (!isRepeat(compared)) throw otherValues('instance.placement_conflict', compared, { instance_id: row.id })
  // Somebody's checkout is on its way: what undoes a creation would delete it.
  if (!rulesOf(row).isCreated && (await deps.registrations.find(row.id)))
    throw fail('instance.placement_conflict', { details: { instance_id: row.id } })
  if (rulesOf(row).isLeaving) throw beingRemoved(row)
  await requireSameProject(deps, placement)
  return row
}
