import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { type Check, type FamilyChecks, stored, type Verdict } from '#/nodes/api.ts'
import { isShortcoming } from '#/projects/git-reason.ts'
import { type LoginDeps, loginOf } from '#/projects/logins.ts'
import { type RemoteGit, RemoteUnreadable } from '#/projects/ports.ts'
import { projectsWithKey } from '#/projects/queries.ts'
import type { ProjectRecord } from '#/projects/record.ts'
import { isRefusal } from '#/projects/remote.ts'

export interface ProjectChecksDeps extends LoginDeps {
  readonly store: Store
  readonly git: RemoteGit
}

/** The gateway's part of the family `project`: deploy keys that their Git hosts accept no longer (decision 0233). */
export const makeProjectChecks = (deps: ProjectChecksDeps): FamilyChecks => ({
  family: 'project',
  checksOf: async (call, node) =>
    node.activeRoles.includes('gateway')
      ? (await projectsWithKey(deps.store.db)).map((project) => checkOf(deps, call, project))
      : [],
})

const checkOf = (deps: ProjectChecksDeps, call: Call, project: ProjectRecord): Check =>
  stored('project.deploy_key_refused', { type: 'project', id: project.id, name: project.name }, () =>
    judge(deps, call, project),
  )

/** What keeps the host from being asked at all is no finding about the key. */
async function judge(deps: ProjectChecksDeps, call: Call, project: ProjectRecord): Promise<Verdict> {
  const login = await loginOf(deps, call, project)
  // With an HTTPS URL it is not in use.
  if (!login.key) return undefined
  try {
    await deps.git.defaultBranch(login, call.signal)
    return undefined
  } catch (error) {
    if (!(error instanceof RemoteUnreadable)) throw error
    const { gitReason } = error
    if (gitReason !== undefined && isShortcoming(gitReason)) return undefined
    if (gitReason === 'host_key') return { expected: 'the recorded host key', observed: 'another host key' }
    if (isRefusal(gitReason)) return { expected: 'accepted', observed: 'refused' }
    return { unverifiable: gitReason ?? 'unreadable' }
  }
}
