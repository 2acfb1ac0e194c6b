import { fail, invalid } from '@fleet/contract'
import type { Database, NewRow, Store } from '@fleet/store'
import { isDeepStrictEqual } from 'node:util'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { type Changes, plannedChanges, type UpdateInput } from '#/projects/changes.ts'
import { isCode } from '#/projects/codes.ts'
import { loginOf } from '#/projects/logins.ts'
import { holdingProject, lockUnchanged, requireProject } from '#/projects/locks.ts'
import type { RemoteGit, SourceChange, SourceChanges } from '#/projects/ports.ts'
import { presentProject } from '#/projects/present.ts'
import { findByCode, findByIdentity, findBySlug } from '#/projects/queries.ts'
import type { ProjectRecord } from '#/projects/record.ts'
import { requireBranch } from '#/projects/remote.ts'
import { storeProject } from '#/projects/store-project.ts'
import { requireTypeFits } from '#/projects/type-fits.ts'
import type { RepositoryTokens } from '#/github/api.ts'
import type { SourceHosts } from '#/source-host/api.ts'
import { openUpdate, type ProjectUpdateRow } from '#/projects/update-records.ts'

export interface UpdateDeps {
  readonly store: Store
  readonly git: RemoteGit
  readonly hosts: SourceHosts
  readonly tokens: RepositoryTokens
  readonly sources: SourceChanges
}

/**
 * Applies at once, but for what changes the source of existing Instances: slug, repository, default branch and root then are one
 * recorded change (PRJ-029, PRJ-040). Values that are stored already change nothing.
 */
export const makeUpdate =
  (deps: UpdateDeps): Handler<'project:update'> =>
  async ({ call, input: given, found }) => {
    requireMembers(given)
    const project = found?.project ?? (await requireProject(deps.store, given.project))
    call.note.subject('project', project.id)
    const input = given.resume === true ? await unfinished(deps, project) : given
    if (!input) return { data: presentProject(project) }
    return { data: presentProject(await settle(deps, call, project, input)) }
  }

/** Planned again on what is stored by then where somebody else changed the Project meanwhile (decision 0327). */
async function settle(
  deps: UpdateDeps,
  call: Call,
  seen: ProjectRecord,
  input: UpdateInput,
): Promise<ProjectRecord> {
  for (let project = seen; ; project = await requireProject(deps.store, seen.id)) {
    const open = await requireNoOther(deps.store.db, input)
    const changes = plannedChanges(project, input)
    const updated =
      open || changes.moving.length > 0
        ? await deps.sources.holding(call, project.id, (instances) => move(deps, call, input, instances))
        : await applyAlone(deps, call, project, input)
    if (updated) return updated
  }
}

type Members = Omit<UpdateInput, 'project' | 'resume'>

const membersOf = ({ project: _, resume: _resume, ...members }: UpdateInput): Members => members

/** The request that began the update which has not finished; undefined where every one has. */
async function unfinished({ store }: UpdateDeps, { id }: ProjectRecord): Promise<UpdateInput | undefined> {
  const open = await openUpdate(store.db, id)
  return open && { ...(open.requested as Members), project: id } // Only members of an input are ever stored.
}

function requireMembers(input: UpdateInput): void {
  const members = membersOf(input)
  const names = Object.keys(members)
  if (input.resume === true) {
    if (names.length > 0) throw invalid({ resume: ['excludes every other member'] })
    return
  }
  if (names.length === 0) throw fail('project.update_required')
  if (members.code === undefined) return
  if (names.length > 1) throw fail('project.code_update_separate')
  if (!isCode(members.code)) throw fail('project.invalid_code')
}

/** The change that this request began and did not finish. Throws `project.update_in_progress` for one of another request (PRJ-045). */
async function requireNoOther(db: Database, input: UpdateInput): Promise<ProjectUpdateRow | undefined> {
  const open = await openUpdate(db, input.project)
  if (!open || isDeepStrictEqual(open.requested, membersOf(input))) return open
  const { state, requested: request, failed_step, error_code } = open
  throw fail('project.update_in_progress', { details: { state, request, failed_step, error_code } })
}

function requireSound(changes: Changes): Changes {
  if (Object.keys(changes.problems).length > 0) throw invalid(changes.problems)
  return changes
}

/** Under the Project's lock, so planned again on what is stored now. Undefined as from `apply`. */
async function move(
  deps: UpdateDeps,
  call: Call,
  input: UpdateInput,
  instances: number,
): Promise<ProjectRecord | undefined> {
  const project = await requireProject(deps.store, input.project)
  const open = await requireNoOther(deps.store.db, input)
  const changes = plannedChanges(project, input)
  const change: SourceChange = {
    project,
    requested: membersOf(input),
    values: changes.values,
    check: () => check(deps, call, project, requireSound(changes)),
  }
  if (open) return deps.sources.resume(call, open, change)
  requireSound(changes)
  if (instances === 0 || changes.moving.length === 0) return apply(deps, call, project, input)
  return deps.sources.begin(call, change)
}

/** No Instance is reserved with the Route of one type, or without one, while the Project gets another. */
const applyAlone = (
  deps: UpdateDeps,
  call: Call,
  project: ProjectRecord,
  input: UpdateInput,
): Promise<ProjectRecord | undefined> => {
  const work = () => apply(deps, call, project, input)
  const isTyped = plannedChanges(project, input).values.type !== undefined
  return isTyped ? holdingProject(deps.store, call, project.id, work) : work()
}

/** Undefined, and nothing is stored, where the Project is not what this was planned and checked for any more. */
async function apply(
  deps: UpdateDeps,
  call: Call,
  project: ProjectRecord,
  input: UpdateInput,
): Promise<ProjectRecord | undefined> {
  const changes = requireSound(plannedChanges(project, input))
  if (Object.keys(changes.values).length === 0) return project
  await check(deps, call, project, changes)
  const updated = await deps.store.transaction(async (db) => {
    if (!(await lockUnchanged(db, project)) || (await requireNoOther(db, input))) return undefined
    return storeProject(db, project.id, changes.values)
  })
  if (updated) call.event('project.updated', presentProject(updated))
  return updated
}

/** Whether the values can be had: they belong to no other Project, its Instances can be of its type, and the remote has what they name. */
async function check(
  deps: UpdateDeps,
  call: Call,
  project: ProjectRecord,
  { values, next }: Changes,
): Promise<void> {
  await requireFree(deps.store, project, values)
  if (values.type !== undefined) await requireTypeFits(deps, project.id, next)
  const readsRemote = values.repository_url !== undefined || values.default_branch !== undefined
  if (!readsRemote && values.source_access === undefined) return
  const login = await loginOf(deps, call, {
    id: project.id,
    repository_url: next.repositoryUrl,
    source_access: next.sourceAccess,
  })
  if (readsRemote && next.defaultBranch !== null)
    await requireBranch(deps.git, call, login, next.defaultBranch)
}

type Values = Partial<NewRow<'projects'>>

async function requireFree({ db }: Store, { id }: ProjectRecord, values: Values): Promise<void> {
  const { slug, repository_identity: identity, code } = values
  const checks = [
    ['project.slug_conflict', slug === undefined ? undefined : await findBySlug(db, slug)],
    [
      'project.repository_identity_conflict',
      identity === undefined ? undefined : await findByIdentity(db, identity),
    ],
    ['project.code_conflict', code === undefined ? undefined : await findByCode(db, code)],
  ] as const
  for (const [error, owner] of checks) {
    if (owner && owner.id !== id)
      throw fail(error, { details: { project: { id: owner.id, slug: owner.slug } } })
  }
}
