import { fail } from '@fleet/contract'
import { sha256 } from '#/managed-services/api.ts'
import { identityOf, type NodeArtifact } from '#/nodes/api.ts'
import { makeAssociationChecks } from '#/php/checks/associations.ts'
import { makeDirectoryChecks } from '#/php/checks/directories.ts'
import { makeServiceChecks } from '#/php/checks/services.ts'
import { convergePools, requireServable, withdrawAll } from '#/php/converge.ts'
import type { PhpDeps } from '#/php/deps.ts'
import type { Php } from '#/php/php.ts'
import { makeProductionServices } from '#/php/production/production.ts'
import { filesOf } from '#/php/service/pools.ts'
import { UnsafeDirectory } from '#/php/service/text.ts'
import { versionFor, versionThere } from '#/php/version-for.ts'

export type { PhpDeps } from '#/php/deps.ts'

export function makePhp(deps: PhpDeps): Php {
  const production = makeProductionServices(deps)
  return {
    versionFor: (session, source) => versionFor(deps, session, source),
    versionThere: (destination, from) => versionThere(deps, destination, from),
    requireServable: (session, source) => requireServable(deps, session, source),
    converge: (session) => convergePools(deps, session),
    publish: async (session, { name }) => {
      const { skipped } = await convergePools(deps, session)
      const missing = skipped.find((pool) => pool.name === name)
      if (!missing) return
      throw fail('app-dev.php_pool_directory_missing', {
        details: { node: identityOf(session.node), directories: [missing.directory] },
      })
    },
    withdraw: (session) => withdrawAll(deps, session),
    production,
    artifact: together(makeArtifact(deps), production.artifact),
    checks: [makeDirectoryChecks(deps), makeAssociationChecks(deps), makeServiceChecks(deps)],
  }
}

/** Pools of development and services of production: no Node has both roles (ROLE-005). */
const together = (development: NodeArtifact, production: NodeArtifact): NodeArtifact => ({
  name: 'php',
  digest: async (node) => (await production.digest(node)) ?? development.digest(node),
  converge: async (session, how) =>
    (await production.digest(session.node)) === undefined
      ? development.converge(session, how)
      : production.converge(session, how),
})

const makeArtifact = (deps: PhpDeps): NodeArtifact => ({
  name: 'php',
  digest: async (node) => {
    const pools = await deps.pools.poolsOn(node)
    if (pools.length === 0 && !node.activeRoles.includes('app-dev')) return undefined
    try {
      return sha256(JSON.stringify(filesOf(node, pools)))
    } catch (error) {
      // Something to converge, which says what is wrong.
      if (error instanceof UnsafeDirectory) return sha256(JSON.stringify(pools))
      throw error
    }
  },
  converge: async (session, { force }) => {
    const { outcome, skipped } = await convergePools(deps, session, { force })
    return skipped.length === 0 ? outcome : { skipped: 'app-dev.php_pool_directory_missing' }
  },
})
