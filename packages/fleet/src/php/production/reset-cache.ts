import { programOf, START, textFile } from '@fleet/shell'
import { fail } from '@fleet/contract'
import { Secret } from '@fleet/kernel'
import { identityOf, type NodeScript, type NodeSession } from '#/nodes/api.ts'
import {
  productionPaths,
  productionPools,
  type ProductionPool,
  type ProductionService,
} from '#/php/production/service-record.ts'

interface CacheTarget {
  readonly root: string
  readonly service: ProductionService
  readonly pool: ProductionPool
  readonly seconds: number
}

/** A reset waits for the requests that are being answered, and for a reload that came before it. */
const SECONDS = 60
const CLIENT = new Secret(textFile('reset-cache.php', import.meta.url))

const OUTCOMES = ['reset', 'unavailable', 'association', 'rejected', 'pending'] as const
type Outcome = (typeof OUTCOMES)[number]

const resetCache: NodeScript<CacheTarget, Outcome> = {
  source: programOf(textFile('reset-cache.sh', import.meta.url), START),
  args: ({ root, service: { version, user }, pool, seconds }) => [
    root,
    version,
    user,
    pool.socket,
    productionPaths({ user }).cache,
    pool.name,
    seconds,
  ],
  stdin: () => CLIENT,
  timeoutSeconds: SECONDS + 30,
  reasons: { association: 'app-prod.php_cache_association_invalid' },
  broken: 'app-prod.php_cache_socket_unavailable',
  read: (answer) => {
    answer.word('end', ['yes'])
    return answer.word('outcome', OUTCOMES)
  },
}

const CODES = {
  unavailable: 'app-prod.php_cache_socket_unavailable',
  association: 'app-prod.php_cache_association_invalid',
  rejected: 'app-prod.php_cache_reset_rejected',
  pending: 'app-prod.php_cache_reset_pending',
} as const satisfies Record<Exclude<Outcome, 'reset'>, string>

/**
 * Every pool of the service answers with an empty opcode cache from now on: a later request of each has seen the reset
 * (DEPL-034). The pools of a manager share one cache, so one reset is enough, but each pool has to be its own. Throws
 * `app-prod.php_cache_*`.
 */
export async function resetOpcodeCache(
  session: NodeSession,
  service: ProductionService,
  root: string,
  seconds = SECONDS,
): Promise<void> {
  for (const pool of productionPools(service)) {
    const outcome = await session.ask(resetCache, { root, service, pool, seconds })
    if (outcome === 'reset') continue
    throw fail(CODES[outcome], { details: { node: identityOf(session.node), pool: pool.name } })
  }
}
