import { type ErrorCode, fail, invalid } from '@fleet/contract'
import { isTaken, type NewRow, type Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { type Changes, plannedChanges, type UpdateInput } from '#/projects/changes.ts'
import { isCode } from '#/projects/codes.ts'
import { holdingProject, requireProject } from '#/projects/locks.ts'
import type { InstancePlacements, RemoteGit } from '#/projects/ports.ts'
import { presentProject } from '#/projects/present.ts'
import { findByCode, findByIdentity, findBySlug, updateProject } from '#/projects/queries.ts'
import type { ProjectRecord } from '#/projects/record.ts'
import { requireBranch, requireLogin } from '#/projects/remote.ts'

export interface UpdateParts {
  readonly store: Store
  readonly git: RemoteGit
  readonly placements: InstancePlacements
}

/**
 * Everything applies at once. What moves the source of Instances (slug, repository, default branch, root) needs a
 * Project without any (PRJ-029, PRJ-040). Values that are stored already change nothing.
 */
export const makeUpdate =
  (parts: UpdateParts): Handler<'project:update'> =>
  async ({ call, input, found }) => {
    requireMembers(input)
    const project = found?.project ?? (await requireProject(parts.store, input.project))
    const changes = checkedChanges(project, input)
    const updated =
      changes.moving.length === 0
        ? await apply(parts, call, project, changes)
        : await holdingProject(parts.store, call, project.id, () => move(parts, call, input))
    return { data: presentProject(updated) }
  }

function requireMembers({ project: _, ...members }: UpdateInput): void {
  const names = Object.keys(members)
  if (names.length === 0) throw fail('project.update_required')
  if (members.code === undefined) return
  if (names.length > 1) throw fail('project.code_update_separate')
  if (!isCode(members.code)) throw fail('project.invalid_code')
}

function checkedChanges(project: ProjectRecord, input: UpdateInput): Changes {
  const changes = plannedChanges(project, input)
  if (Object.keys(changes.problems).length > 0) throw invalid(changes.problems)
  return changes
}

/** Under the Project's lock, so planned again on what is stored now. */
async function move(parts: UpdateParts, call: Call, input: UpdateInput): Promise<ProjectRecord> {
  const project = await requireProject(parts.store, input.project)
  const changes = checkedChanges(project, input)
  const instances = await parts.placements.countOf(project.id)
  if (changes.moving.length > 0 && instances > 0) {
    throw fail('project.update_unavailable', { details: { members: changes.moving, instances } })
  }
  return apply(parts, call, project, changes)
}

async function apply(
  parts: UpdateParts,
  call: Call,
  project: ProjectRecord,
  changes: Changes,
): Promise<ProjectRecord> {
  const { values, next } = changes
  if (Object.keys(values).length === 0) return project
  await requireFree(parts.store, project, values)
  const source = { url: next.repositoryUrl, access: next.sourceAccess }
  if (values.source_access !== undefined) await requireLogin(parts.git, call, source)
  const readsRemote = values.repository_url !== undefined || values.default_branch !== undefined
  if (readsRemote && next.defaultBranch !== null)
    await requireBranch(parts.git, call, source, next.defaultBranch)
  const updated = await write(parts.store, project.id, values)
  call.event('project.updated', presentProject(updated))
  return updated
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

const TAKEN = [
  ['projects(slug)', 'project.slug_conflict'],
  ['projects(repository_identity)', 'project.repository_identity_conflict'],
  ['projects(code)', 'project.code_conflict'],
] as const satisfies ReadonlyArray<readonly [string, ErrorCode]>

async function write({ db }: Store, id: number, values: Values): Promise<ProjectRecord> {
  try {
    const updated = await updateProject(db, id, values)
    if (updated) return updated
  } catch (error) {
    // Another request took the value after the check.
    const code = TAKEN.find(([rule]) => isTaken(error, rule))?.[1]
    throw code ? fail(code, { cause: error }) : error
  }
  throw fail('project.not_found')
}
