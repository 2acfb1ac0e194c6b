import type { HandlersOf } from '#/handler.ts'
import type { FamilyChecks } from '#/nodes/api.ts'
import { makeAdopt } from '#/tools/adopt.ts'
import { makeEnsureApt, type ToolManagers } from '#/tools/apt-manager.ts'
import { makeToolChecks } from '#/tools/checks.ts'
import { makeInstall } from '#/tools/install.ts'
import { makeList } from '#/tools/list.ts'
import { makeToolLocators, type ToolLocators } from '#/tools/locators.ts'
import { makeManagerList } from '#/tools/manager-list.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { withInstalledManager } from '#/tools/readiness.ts'
import { makeRemove } from '#/tools/remove.ts'
import { makeScan } from '#/tools/scan.ts'
import { makeShow } from '#/tools/show.ts'
import { makeUpdate } from '#/tools/update.ts'

export interface ToolsDomain {
  readonly handlers: HandlersOf<`tool:${'manager:list' | 'list' | 'show' | 'install' | 'update' | 'adopt' | 'remove' | 'scan'}`>
  readonly locators: ToolLocators
  readonly toolManagers: ToolManagers
  readonly checks: FamilyChecks
}

/** Packages of Nodes, and the managers that install them. */
export const makeTools = (deps: ToolsDeps): ToolsDomain => ({
  handlers: {
    'tool:manager:list': makeManagerList(deps),
    'tool:list': makeList(deps),
    'tool:show': makeShow(deps),
    'tool:install': makeInstall(deps),
    'tool:update': makeUpdate(deps),
    'tool:adopt': makeAdopt(deps),
    'tool:remove': makeRemove(deps),
    'tool:scan': makeScan(deps),
  },
  locators: makeToolLocators(deps),
  toolManagers: {
    ensureApt: makeEnsureApt(deps),
    ensureComposer: (session) =>
      withInstalledManager(deps, session, { node: session.node, manager: 'composer' }, async () => undefined),
  },
  checks: makeToolChecks(deps),
})
