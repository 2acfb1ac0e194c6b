import { fail } from '@fleet/contract'
import { holding, lockOf } from '#/locks/api.ts'
import { ensureService } from '#/managed-services/api.ts'
import { identityOf, type NodeSession } from '#/nodes/api.ts'
import { findPhp } from '#/php/commands/find-php.ts'
import { inspectPools } from '#/php/commands/inspect-pools.ts'
import { withdrawPools } from '#/php/commands/withdraw-pools.ts'
import type { PhpDeps } from '#/php/deps.ts'
import type { PhpSource, PoolsConverged } from '#/php/php.ts'
import type { Pool } from '#/php/pool.ts'
import { poolService, versionsOf } from '#/php/service/pools.ts'
import { asUnavailable } from '#/php/version-for.ts'
import { ensurePackages } from '#/tools/api.ts'

/** The pools are read under the lock, so that a publication that waited publishes what is newest. */
export const convergePools = (
  deps: PhpDeps,
  session: NodeSession,
  { force = false }: { readonly force?: boolean } = {},
): Promise<PoolsConverged> =>
  holdingPools(deps, session, async () => {
    const pools = await deps.pools.poolsOn(session.node)
    if (await deps.network.settings()) return converge(deps, session, pools, force)
    if (pools.length === 0) return { outcome: 'unchanged', skipped: [] }
    throw withoutPhp(session)
  })

/** See `Php.requireServable`. One round trip where there is no private network. */
export async function requireServable(
  { network }: Pick<PhpDeps, 'network'>,
  session: NodeSession,
  source: PhpSource,
): Promise<void> {
  if (await network.settings()) return
  const { manifest } = await session.ask(findPhp, source)
  if (manifest !== undefined) throw withoutPhp(session)
}

const withoutPhp = ({ node }: NodeSession) =>
  fail('node.capability_missing', { details: { node: identityOf(node), capability: 'PHP' } })

/** In this order: skip what is not there, install, publish all versions, then retire those without a pool (RTX-122). */
async function converge(
  deps: PhpDeps,
  session: NodeSession,
  pools: readonly Pool[],
  force: boolean,
): Promise<PoolsConverged> {
  const { root = '' } = deps
  const { missing, absent, own } = await session.ask(inspectPools, { root, pools })
  const kept = pools.filter((pool) => !missing.includes(pool))
  if (absent.length > 0) await install(deps, session, absent)
  const published = kept.length > 0 && (await publish(deps, session, kept, force))
  const versions = own.filter((version) => !versionsOf(kept).includes(version))
  if (versions.length > 0) await session.ask(withdrawPools, { root, versions })
  const isChanged = published || versions.length > 0
  return { outcome: isChanged ? 'applied' : 'unchanged', skipped: missing }
}

const publish = async (
  deps: PhpDeps,
  session: NodeSession,
  pools: readonly Pool[],
  force: boolean,
): Promise<boolean> =>
  (await ensureService(deps, session, poolService(session.node, pools), { force })).outcome === 'applied'

async function install(deps: PhpDeps, session: NodeSession, packages: readonly string[]): Promise<void> {
  try {
    await ensurePackages(deps, session, packages)
  } catch (error) {
    throw asUnavailable(error, session)
  }
}

/** Everything of Fleet's goes, whatever the records say. */
export const withdrawAll = (deps: PhpDeps, session: NodeSession): Promise<void> =>
  holdingPools(deps, session, async () => {
    if (!(await deps.network.settings())) return
    const { root = '' } = deps
    const { own: versions } = await session.ask(inspectPools, { root, pools: [] })
    if (versions.length > 0) await session.ask(withdrawPools, { root, versions })
  })

const holdingPools = <T>(
  { store }: PhpDeps,
  { call, node }: NodeSession,
  work: () => Promise<T>,
): Promise<T> =>
  holding(store, call, lockOf('php', node.id, { details: { node: identityOf(node), stage: 'lock' } }), work)
