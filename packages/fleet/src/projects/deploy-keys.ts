import { type DeployKeyData, fail, invalid } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { activateKey, type DeployKeyRow, deleteKeys, keysOf } from '#/projects/queries.ts'
import { loginWith, makeKey } from '#/projects/deploy-key-values.ts'
import { isShortcoming } from '#/projects/git-reason.ts'
import { holdingProject, requireProject } from '#/projects/locks.ts'
import { type RemoteGit, RemoteUnreadable } from '#/projects/ports.ts'
import type { ProjectRecord } from '#/projects/record.ts'
import { isRefusal, unreadable } from '#/projects/remote.ts'
import { repositoryIdentity } from '#/projects/source-rules.ts'
import { type SourceHosts, type SourceLogin, type SshAddress, sshAddressOf } from '#/source-host/api.ts'

export interface DeployKeyDeps {
  readonly store: Store
  readonly clock: Clock
  readonly git: RemoteGit
  readonly hosts: SourceHosts
}

export const makeDeployKeyShow =
  ({ store, hosts }: Pick<DeployKeyDeps, 'store' | 'hosts'>): Handler<'project:deploy-key:show'> =>
  async ({ input, found }) => {
    const project = found?.project ?? (await requireProject(store, input.project))
    const keys = requireSome(await keysOf(store.db, project.id))
    const { address } = readingOf(project, input.repository_url)
    return { data: present(project, keys, await hosts.recorded(address)) }
  }

/** Makes a key, or activates the one that the Git host accepts by now; until then everything is read as before. */
export const makeDeployKeyCreate =
  (deps: DeployKeyDeps): Handler<'project:deploy-key:create'> =>
  async ({ call, input }) =>
    holdingProject(deps.store, call, input.project, async () => {
      const { store, hosts } = deps
      const project = await requireProject(store, input.project)
      call.note.subject('project', project.id)
      const { url, address } = readingOf(project, input.repository_url)
      if (input.host_fingerprint !== undefined) await hosts.trust(address, input.host_fingerprint)
      const { data: host } = await hosts.known(address)
      const created = await advance(deps, call, { project, url, rotates: input.rotate ?? false })
      return { data: present(project, requireSome(await keysOf(store.db, project.id)), host), created }
    })

export const makeDeployKeyDestroy =
  (store: Store): Handler<'project:deploy-key:destroy'> =>
  async ({ call, input }) =>
    holdingProject(store, call, input.project, async () => {
      const { id, slug } = await requireProject(store, input.project)
      call.note.subject('project', id)
      const keys = requireSome(await keysOf(store.db, id))
      await deleteKeys(store.db, id)
      return {
        data: { project: { id, slug }, fingerprints: keys.flatMap((key) => (key ? [key.fingerprint] : [])) },
      }
    })

/**
 * The URL that the key is for: of the Project, or the one over SSH that its repository is to get (decision 0342). Throws
 * `validation.failed` for another repository and `project.deploy_key_needs_ssh`.
 */
function readingOf(
  { repository_url, repository_identity }: ProjectRecord,
  named: string | undefined,
): { readonly url: string; readonly address: SshAddress } {
  const url = named ?? repository_url
  if (named !== undefined && repositoryIdentity(named) !== repository_identity)
    throw invalid({ repository_url: ['must be an SSH URL of the repository of the Project'] })
  return { url, address: requireSsh(url) }
}

interface Advance {
  readonly project: ProjectRecord
  readonly url: string
  readonly rotates: boolean
}

/** True when it made a key. */
async function advance(
  deps: DeployKeyDeps,
  call: Call,
  { project, url, rotates }: Advance,
): Promise<boolean> {
  const { store } = deps
  const keys = await keysOf(store.db, project.id)
  const pending = keys.find(({ status }) => status === 'pending')
  if (pending) {
    const login = await loginWith(deps, pending, url)
    if (login && (await isAccepted(deps.git, call, login)))
      await store.transaction((db) => activateKey(db, project.id, pending.id))
    return false
  }
  if (keys.length > 0 && !rotates) return false
  await makeKey(deps, { project_id: project.id, repository: null }, project.slug)
  return true
}

/** Throws what keeps the answer from being known. */
async function isAccepted(git: RemoteGit, call: Call, login: SourceLogin): Promise<boolean> {
  try {
    await git.defaultBranch(login, call.signal)
    return true
  } catch (error) {
    if (!(error instanceof RemoteUnreadable)) throw error
    const { gitReason } = error
    if (gitReason !== undefined && isShortcoming(gitReason)) return true
    if (isRefusal(gitReason)) return false
    throw unreadable(error, login)
  }
}

/** Throws `project.deploy_key_needs_ssh`; of a Project that is new, with what helps before there is one. */
export function requireSsh(url: string, { isNew = false }: { readonly isNew?: boolean } = {}): SshAddress {
  const address = sshAddressOf(url)
  if (address) return address
  throw fail(
    'project.deploy_key_needs_ssh',
    isNew
      ? {
          message:
            'A deploy key logs in over SSH, and this repository URL is not an SSH URL. Create the Project with that of the same repository, `git@HOST:PATH`, or without a deploy key.',
        }
      : {},
  )
}

/** The active key first. */
function requireSome(keys: readonly DeployKeyRow[]): readonly [DeployKeyRow, DeployKeyRow | undefined] {
  const [first, second] = keys
  if (!first) throw fail('project.deploy_key_missing')
  return [first, second]
}

const publicSide = ({ public_key, fingerprint, created_at }: DeployKeyRow) => ({
  public_key,
  fingerprint,
  created_at,
})

const present = (
  { id, slug }: ProjectRecord,
  [key, next]: readonly [DeployKeyRow, DeployKeyRow | undefined],
  host: DeployKeyData['host'],
): DeployKeyData => ({
  project: { id, slug },
  status: key.status,
  ...publicSide(key),
  next: next ? publicSide(next) : null,
  host,
})
