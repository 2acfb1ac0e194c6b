import type { HandlersOf } from '#/handler.ts'
import type { FamilyChecks } from '#/nodes/api.ts'
import { makeAdopt } from '#/tools/adopt.ts'
import { makeEnsureApt, type ToolManagers } from '#/tools/apt-manager.ts'
import { makeToolChecks } from '#/tools/checks.ts'
import { makeInstall } from '#/tools/install.ts'
import { makeList } from '#/tools/list.ts'
import { makeToolLocators, type ToolLocators } from '#/tools/locators.ts'
import { makeManagerList } from '#/tools/manager-list.ts'
import type { ToolsParts } from '#/tools/parts.ts'
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
export const makeTools = (parts: ToolsParts): ToolsDomain => ({
  handlers: {
    'tool:manager:list': makeManagerList(parts),
    'tool:list': makeList(parts),
    'tool:show': makeShow(parts),
    'tool:install': makeInstall(parts),
    'tool:update': makeUpdate(parts),
    'tool:adopt': makeAdopt(parts),
    'tool:remove': makeRemove(parts),
    'tool:scan': makeScan(parts),
  },
  locators: makeToolLocators(parts),
  toolManagers: {
    ensureApt: makeEnsureApt(parts),
    ensureComposer: (session) =>
      withInstalledManager(
        parts,
        session,
        { node: session.node, manager: 'composer' },
        async () => undefined,
      ),
  },
  checks: makeToolChecks(parts),
})
