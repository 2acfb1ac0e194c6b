import type { Database, ProjectUpdateFound } from '@fleet/store'
import type { Call } from '#/call.ts'
import { DEFAULT_NAME, type ProjectCheckout } from '#/instances/api.ts'
import type { ProjectUpdatesDeps } from '#/project-updates/deps.ts'
import { type ProjectRecord, type ProjectUpdateRow, type SourceChange, writeUpdate } from '#/projects/api.ts'

/** A change of a Project with Instances on its way. */
export interface ProjectUpdate {
  readonly deps: ProjectUpdatesDeps
  readonly call: Call
  readonly check: SourceChange['check']
  /** With the values of before. */
  readonly before: ProjectRecord
  /** With those that it gets. */
  readonly after: ProjectRecord
  /** Its record as stored; shared with whoever undoes it. */
  readonly stored: { record: ProjectUpdateRow }
  /** What became of the environment of each Instance, for the Activity (ENV-066). */
  readonly evidence: Map<number, EnvironmentEvidence>
  /** What subscribers have of it, by record. */
  readonly published: Map<string, unknown>
}

export interface EnvironmentEvidence {
  readonly instance_id: number
  readonly environment: 'synchronized' | 'skipped'
  readonly reason?: 'env.configuration_missing'
}

export const updateOf = (
  deps: ProjectUpdatesDeps,
  call: Call,
  record: ProjectUpdateRow,
  { project, check }: Pick<SourceChange, 'project' | 'check'>,
): ProjectUpdate => ({
  deps,
  call,
  check,
  // Both name columns of a Project alone.
  before: { ...project, ...(record.previous_values as Partial<ProjectRecord>) }, // Values of existing columns.
  after: { ...project, ...(record.next_values as Partial<ProjectRecord>) }, // Values of existing columns.
  stored: { record },
  evidence: new Map(),
  published: new Map(),
})

type Member = 'slug' | 'repository_url' | 'default_branch' | 'root'

export const changes = ({ before, after }: ProjectUpdate, member: Member): boolean =>
  before[member] !== after[member]

/** Stores how far the work came. */
export async function store(
  update: ProjectUpdate,
  values: Partial<ProjectUpdateRow>,
  db: Database = update.deps.store.db,
): Promise<void> {
  update.stored.record = await writeUpdate(db, update.stored.record.project_id, values)
}

export const NOTHING_FOUND: ProjectUpdateFound = { origins: {}, branches: [], switched: [], production: {} }

/** The Instances whose checkouts follow the Project, as they are now: one may be gone since an earlier request. */
export const followersOf = async (update: ProjectUpdate): Promise<readonly ProjectCheckout[]> =>
  (await all(update)).filter(({ row }) => row.environment === 'development')

export const all = ({ deps, stored: { record } }: ProjectUpdate): Promise<readonly ProjectCheckout[]> =>
  deps.checkouts.of(record.project_id)

/** The one whose checkout has the default branch of the Project (PRJ-048). */
export const isOnDefaultBranch = ({ row }: ProjectCheckout): boolean =>
  row.name === DEFAULT_NAME && row.branch_override === null

/** Those whose web root is that of the Project (PRJ-049). */
export const isBelowProjectRoot = ({ row }: ProjectCheckout): boolean => row.root === null

/** Production Instances as one text each: none may change meanwhile. */
export const productionIn = (of: readonly ProjectCheckout[]): ProjectUpdateFound['production'] =>
  Object.fromEntries(
    of
      .filter(({ row }) => row.environment === 'production')
      .map(({ row }) => [
        row.id,
        JSON.stringify([
          row.node_id,
          row.name,
          row.checkout_path,
          row.production_user,
          row.production_home,
          row.preparation_id,
          row.root,
          row.profile,
          row.selected_branch,
          row.branch_override,
        ]),
      ]),
  )
