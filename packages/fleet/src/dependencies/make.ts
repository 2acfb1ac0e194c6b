import { makeDependencyChecks } from '#/dependencies/checks.ts'
import type { DependencyDeps } from '#/dependencies/deps.ts'
import { makeProjectReader } from '#/dependencies/reader/reader.ts'
import { makeScan } from '#/dependencies/scan.ts'
import { makeShow } from '#/dependencies/show.ts'
import { makeUpdate } from '#/dependencies/update.ts'
import { makeWhere } from '#/dependencies/where.ts'
import type { FamilyChecks } from '#/nodes/api.ts'
import type { HandlersOf } from '#/handler.ts'

export interface DependenciesDomain {
  readonly handlers: HandlersOf<
    | 'instance:dependencies:show'
    | 'instance:dependencies:scan'
    | 'instance:dependencies:update'
    | 'dependency:where'
  >
  readonly checks: FamilyChecks
}

/** The inventory of resolved dependencies of Instances. */
export function makeDependencies(given: DependencyDeps): DependenciesDomain {
  const deps = { ...given, reader: given.reader ?? makeProjectReader(given.clock) }
  return {
    handlers: {
      'instance:dependencies:show': makeShow(deps),
      'instance:dependencies:scan': makeScan(deps),
      'instance:dependencies:update': makeUpdate(deps),
      'dependency:where': makeWhere(deps),
    },
    checks: makeDependencyChecks(deps),
  }
}
