import { fail, type InputOf, invalid, type ProjectData } from '@fleet/contract'
import { type Clock, CodedError } from '@fleet/kernel'
import type { NewRow, Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { freeCode, isCode } from '#/projects/codes.ts'
import { keyForRepository, loginWith } from '#/projects/deploy-key-values.ts'
import { requireSsh } from '#/projects/deploy-keys.ts'
import { loginOf } from '#/projects/logins.ts'
import type { RemoteGit } from '#/projects/ports.ts'
import { presentProject } from '#/projects/present.ts'
import {
  adoptKey,
  deleteKeyOf,
  type DeployKeyRow,
  findHolders,
  insertProject,
  listCodes,
} from '#/projects/queries.ts'
import type { ProjectRecord } from '#/projects/record.ts'
import { isRefusal, requireBranch } from '#/projects/remote.ts'
import { comparedCreation } from '#/projects/repeat.ts'
import { isRepeat, otherValues } from '#/repeats.ts'
import { repositoryIdentity, sourceProblems } from '#/projects/source-rules.ts'
import type { RepositoryTokens } from '#/github/api.ts'
import type { SourceHosts, SourceLogin } from '#/source-host/api.ts'

export interface CreateDeps {
  readonly store: Store
  readonly clock: Clock
  readonly git: RemoteGit
  readonly hosts: SourceHosts
  readonly tokens: RepositoryTokens
}

type Input = InputOf<'project:create'>
type Created = { readonly data: ProjectData; readonly created: boolean }

// Each round loses to one other creation that took the derived code in the same moment.
const ROUNDS = 5

/** An exact repeat answers the stored Project and asks no remote (PRJ-028, PRJ-033, PRJ-034). */
export const makeCreate =
  (deps: CreateDeps): Handler<'project:create'> =>
  async ({ call, input }) => {
    requireInput(input)
    const repeated = await storedOrRefuse(deps.store, call, input)
    if (repeated) return repeated
    const key = input.deploy_key ? await keyForRepository(deps, identityOf(input), input.slug) : undefined
    const login =
      (key && (await loginWith(deps, key, input.repository_url))) ?? (await otherLogin(deps, call, input))
    const default_branch = await branchOf(deps, call, { input, login, key })
    return store(deps, call, { input, defaultBranch: default_branch, keyId: key?.id })
  }

const otherLogin = (deps: CreateDeps, call: Call, { repository_url, source_access = 'github_app' }: Input) =>
  loginOf(deps, call, { id: undefined, repository_url, source_access })

interface Reading {
  readonly input: Input
  readonly login: SourceLogin
  readonly key: DeployKeyRow | undefined
}

/** Throws `project.deploy_key_pending` with the public key that the Git host has to accept first. */
async function branchOf({ git }: CreateDeps, call: Call, { input, login, key }: Reading): Promise<string> {
  try {
    return await requireBranch(git, call, login, input.default_branch)
  } catch (error) {
    if (!key || !(error instanceof CodedError) || !isRefusal(error.details?.['git_reason'])) throw error
    const { public_key, fingerprint } = key
    throw fail('project.deploy_key_pending', {
      details: { public_key, fingerprint, host: login.key?.host },
      cause: error,
    })
  }
}

function requireInput(input: Input): void {
  if (input.code !== undefined && !isCode(input.code)) throw fail('project.invalid_code')
  const problems = sourceProblems({
    type: input.type,
    repositoryUrl: input.repository_url,
    sourceAccess: input.source_access ?? 'github_app',
    root: input.root,
    defaultBranch: input.default_branch ?? null,
  })
  if (Object.keys(problems).length > 0) throw invalid(problems)
  if (input.deploy_key) requireSsh(input.repository_url, { isNew: true })
}

/** The stored Project of an exact repeat; undefined when nothing conflicts with a new one. */
async function storedOrRefuse({ db }: Store, call: Call, input: Input): Promise<Created | undefined> {
  const identity = identityOf(input)
  const holders = await findHolders(db, { slug: input.slug, identity, code: input.code })
  const known = holders.find(({ slug }) => slug === input.slug)
  if (known) {
    const project = { id: known.id, slug: known.slug }
    const compared = comparedCreation(known, input)
    if (!isRepeat(compared)) throw otherValues('project.identity_conflict', compared, { project })
    call.note.subject('project', known.id)
    return { data: presentProject(known), created: false }
  }
  const owner = holders.find((holder) => holder.repository_identity === identity)
  if (owner)
    throw fail('project.repository_identity_conflict', {
      details: { project: { id: owner.id, slug: owner.slug } },
    })
  if (holders.length > 0) throw fail('project.code_conflict')
  return undefined
}

interface Found {
  readonly input: Input
  readonly defaultBranch: string
  /** The deploy key that read it. */
  readonly keyId: number | undefined
}

async function store(deps: CreateDeps, call: Call, { input, defaultBranch, keyId }: Found): Promise<Created> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const code = input.code ?? freeCode(input.slug, await listCodes(deps.store.db))
    if (code === undefined) break
    const row = { ...rowOf(input, code, defaultBranch), created_at: deps.clock.now().toISOString() }
    const project = await deps.store.transaction(async (db) => {
      const inserted = await insertProject(db, row)
      if (inserted && keyId !== undefined) await adoptKey(db, keyId, inserted.id)
      if (inserted) await deleteKeyOf(db, identityOf(input))
      return inserted
    })
    if (project) return created(call, project)
    // Another creation was faster: it is this one's repeat, its conflict, or has only taken the derived code.
    const repeated = await storedOrRefuse(deps.store, call, input)
    if (repeated) return repeated
  }
  throw fail('project.codes_exhausted')
}

function created(call: Call, project: ProjectRecord): Created {
  call.note.subject('project', project.id)
  const data = presentProject(project)
  call.event('project.created', data)
  return { data, created: true }
}

const rowOf = (
  input: Input,
  code: string,
  defaultBranch: string,
): Omit<NewRow<'projects'>, 'created_at'> => ({
  slug: input.slug,
  name: input.name ?? input.slug,
  code,
  type: input.type,
  repository_url: input.repository_url,
  repository_identity: identityOf(input),
  source_access: input.source_access ?? 'github_app',
  default_branch: defaultBranch,
  root: input.root,
  defaults: input.defaults ?? null,
  task_check: input.task_check ?? null,
  task_workspace_routed: input.task_workspace_routed === false ? 0 : 1,
  task_compute: input.task_compute ?? 'shared',
  review_and_merge: 0,
  merge_check: null,
})

function identityOf(input: Input): string {
  const identity = repositoryIdentity(input.repository_url)
  if (identity === undefined)
    throw invalid({ repository_url: ['must be an HTTPS or SSH Git URL without credentials'] })
  return identity
}
