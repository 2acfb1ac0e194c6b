import { fail } from '@fleet/contract'
import type { Clock, Ids } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { HandlersOf } from '#/handler.ts'
import type { Nodes } from '#/nodes/api.ts'
import { makeCreate } from '#/projects/create.ts'
import { makeDeployKeyCreate, makeDeployKeyDestroy, makeDeployKeyShow } from '#/projects/deploy-keys.ts'
import { makeDestroy } from '#/projects/destroy.ts'
import { makeExcludedNodes } from '#/projects/excluded-nodes.ts'
import { makeList } from '#/projects/list.ts'
import { makeProjectLocators, type ProjectLocators } from '#/projects/locators.ts'
import { loginOf } from '#/projects/logins.ts'
import { CREATION_WAIT_SECONDS, holdingProject } from '#/projects/locks.ts'
import { hasBranch } from '#/projects/remote.ts'
import type { InstancePlacements, RemoteGit, SourceChanges } from '#/projects/ports.ts'
import { makeProcessDefinitions, productionProcesses } from '#/projects/process-definitions.ts'
import { findByIdentity, findProject, listProjects, listSteps } from '#/projects/queries.ts'
import type { Projects } from '#/projects/record.ts'
import { makeScheduleDefinitions, productionSchedules } from '#/projects/schedule-definitions.ts'
import { makeShow } from '#/projects/show.ts'
import { makeStepCreate } from '#/projects/steps/create.ts'
import { makeStepDestroy } from '#/projects/steps/destroy.ts'
import { DEV_DEPLOY, SETUP, TEARDOWN } from '#/projects/steps/kinds.ts'
import { makeStepList } from '#/projects/steps/list.ts'
import { makeStepUpdate } from '#/projects/steps/update.ts'
import type { RepositoryTokens } from '#/github/api.ts'
import type { SourceHosts } from '#/source-host/api.ts'
import { openUpdate } from '#/projects/update-records.ts'
import { makeUpdate } from '#/projects/update.ts'

export interface ProjectsDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly nodes: Nodes
  readonly placements: InstancePlacements
  readonly git: RemoteGit
  readonly sources: SourceChanges
  readonly hosts: SourceHosts
  readonly tokens: RepositoryTokens
}

export type ProjectHandlers = HandlersOf<
  | `project:${'list' | 'show' | 'create' | 'update' | 'destroy'}`
  | `project:deploy-key:${'show' | 'create' | 'destroy'}`
  | `project:excluded-node:${'list' | 'add' | 'remove'}`
  | `project:${'process' | 'schedule'}-definition:${'list' | 'create' | 'show' | 'update' | 'destroy'}`
  | `project:${'setup' | 'teardown' | 'dev-deploy'}-step:${'list' | 'create' | 'update' | 'destroy'}`
>

export interface ProjectsDomain {
  readonly handlers: ProjectHandlers
  readonly locators: ProjectLocators
  readonly projects: Projects
}

/** Git repositories that the fleet runs, with the steps around their Instances. */
export const makeProjects = (deps: ProjectsDeps): ProjectsDomain => ({
  locators: makeProjectLocators(deps.store),
  handlers: makeHandlers(deps),
  projects: {
    find: (id) => findProject(deps.store.db, id),
    findByIdentity: (identity) => findByIdentity(deps.store.db, identity),
    login: (call, project) => loginOf(deps, call, project),
    hasBranch: async (call, project, branch) =>
      hasBranch(deps.git, call, await loginOf(deps, call, project), branch),
    list: () => listProjects(deps.store.db),
    steps: (projectId, list) => listSteps(deps.store.db, projectId, list),
    productionProcesses: productionProcesses(deps.store),
    productionSchedules: productionSchedules(deps.store),
    nodeIdsOf: (projectId) => deps.placements.nodeIdsOf(projectId),
    requireSettled: (projectId) => requireSettled(deps.store, projectId),
    withLock: (call, projectId, work) =>
      holdingProject(
        deps.store,
        call,
        projectId,
        async () => {
          await requireSettled(deps.store, projectId)
          return work()
        },
        CREATION_WAIT_SECONDS,
      ),
  },
})

/** An update knows the Instances that it changes, and no later ones. */
async function requireSettled({ db }: Store, projectId: number): Promise<void> {
  if (await openUpdate(db, projectId)) throw fail('project.update_in_progress')
}

const makeHandlers = ({
  store,
  clock,
  ids,
  nodes,
  placements,
  git,
  sources,
  hosts,
  tokens,
}: ProjectsDeps): ProjectHandlers => ({
  'project:list': makeList(store, nodes, placements),
  'project:show': makeShow(store, nodes),
  'project:create': makeCreate({ store, clock, git, hosts, tokens }),
  'project:update': makeUpdate({ store, git, sources, hosts, tokens }),
  'project:destroy': makeDestroy(store, placements),
  'project:deploy-key:show': makeDeployKeyShow({ store, hosts }),
  'project:deploy-key:create': makeDeployKeyCreate({ store, clock, git, hosts }),
  'project:deploy-key:destroy': makeDeployKeyDestroy(store),
  ...makeExcludedNodes(store, nodes),
  ...makeProcessDefinitions({ store, clock, ids }),
  ...makeScheduleDefinitions({ store, clock, ids }),
  'project:setup-step:list': makeStepList(store, SETUP),
  'project:setup-step:create': makeStepCreate(store, clock, SETUP),
  'project:setup-step:update': makeStepUpdate(store, SETUP),
  'project:setup-step:destroy': makeStepDestroy(store, SETUP),
  'project:teardown-step:list': makeStepList(store, TEARDOWN),
  'project:teardown-step:create': makeStepCreate(store, clock, TEARDOWN),
  'project:teardown-step:update': makeStepUpdate(store, TEARDOWN),
  'project:teardown-step:destroy': makeStepDestroy(store, TEARDOWN),
  'project:dev-deploy-step:list': makeStepList(store, DEV_DEPLOY),
  'project:dev-deploy-step:create': makeStepCreate(store, clock, DEV_DEPLOY),
  'project:dev-deploy-step:update': makeStepUpdate(store, DEV_DEPLOY),
  'project:dev-deploy-step:destroy': makeStepDestroy(store, DEV_DEPLOY),
})
