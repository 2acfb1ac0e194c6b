import type { ProjectRecord } from '#/projects/record.ts'
import type { InputOf } from '@fleet/contract'
import type { NewRow } from '@fleet/store'
import { repositoryIdentity, sourceProblems, type SourceValues } from '#/projects/source-rules.ts'

export type UpdateInput = InputOf<'project:update'>

/** What an update would write. */
export interface Changes {
  /** Columns whose value differs from the stored one. */
  readonly values: Partial<NewRow<'projects'>>
  /** Members that move the source of existing Instances. */
  readonly moving: readonly string[]
  /** Broken rules by member, of the record as it would be. */
  readonly problems: Readonly<Record<string, readonly string[]>>
  /** The source as it would be. */
  readonly next: SourceValues
}

type Wanted = { readonly [C in keyof NewRow<'projects'>]?: NewRow<'projects'>[C] | undefined }

const MOVING = ['slug', 'repository_url', 'default_branch', 'root'] as const

export function plannedChanges(
  stored: ProjectRecord,
  { project: _, resume: _resume, ...input }: UpdateInput,
): Changes {
  const { task_workspace_routed, review_and_merge, ...plain } = input
  const wanted: Wanted = {
    ...plain,
    ...(task_workspace_routed === undefined ? {} : { task_workspace_routed: task_workspace_routed ? 1 : 0 }),
    ...(review_and_merge === undefined ? {} : { review_and_merge: review_and_merge ? 1 : 0 }),
  }
  const values = differing(stored, wanted)
  const planned = { ...stored, ...values }
  const next = sourceOf(planned)
  return {
    values: { ...values, ...identityOf(values) },
    moving: MOVING.filter((member) => values[member] !== undefined),
    problems: { ...sourceProblems(next), ...mergeProblems(planned) },
    next,
  }
}

function differing(stored: ProjectRecord, wanted: Wanted): Partial<NewRow<'projects'>> {
  const before = new Map<string, unknown>(Object.entries(stored))
  const changed = Object.entries(wanted).filter(
    ([column, value]) => value !== undefined && before.get(column) !== value,
  )
  return Object.fromEntries(changed)
}

const sourceOf = (
  project: Pick<ProjectRecord, 'type' | 'repository_url' | 'source_access' | 'root' | 'default_branch'>,
): SourceValues => ({
  type: project.type,
  repositoryUrl: project.repository_url,
  sourceAccess: project.source_access,
  root: project.root,
  defaultBranch: project.default_branch,
})

function identityOf({ repository_url }: Partial<NewRow<'projects'>>): Partial<NewRow<'projects'>> {
  const identity = repository_url === undefined ? undefined : repositoryIdentity(repository_url)
  return identity === undefined ? {} : { repository_identity: identity }
}

/** Merging is gated by a check that only the GitHub app can see (PRJ-050). */
function mergeProblems(
  project: Pick<ProjectRecord, 'review_and_merge' | 'merge_check' | 'source_access'>,
): Record<string, readonly string[]> {
  if (project.review_and_merge === 0) return {}
  const problems = [
    ...(project.merge_check === null ? ['needs merge_check'] : []),
    ...(project.source_access === 'github_app' ? [] : ['requires source_access github_app']),
  ]
  return problems.length === 0 ? {} : { review_and_merge: problems }
}
