import { textFile } from '@fleet/shell'
import { fail } from '@fleet/contract'
import type { ManagedService } from '#/managed-services/api.ts'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'
import { type Pool, SOCKETS, WEB_SERVER } from '#/php/pool.ts'
import { SAID, STAGES } from '#/php/service/failures.ts'
import { poolsText, type PoolSettings, RUNTIME_TEXT, UnsafeDirectory } from '#/php/service/text.ts'

const LOCKS = '/run/lock/fleet'
const LOCK_SECONDS = 30
/** A reload waits for the requests that are being answered. */
const READY_SECONDS = 40

export const unitOf = (version: string): string => `php${version}-fpm.service`
export const poolFile = (version: string): string => `/etc/php/${version}/fpm/pool.d/fleet-scopes.conf`
const moduleFile = (version: string): string => `/etc/php/${version}/mods-available/fleet-runtime.ini`
const moduleLink = (version: string): string => `/etc/php/${version}/fpm/conf.d/99-fleet-runtime.ini`

export const settingsOf = ({ user }: Pick<NodeRecord, 'user'>): PoolSettings => ({
  user,
  group: WEB_SERVER,
  sockets: SOCKETS,
})

export const versionsOf = (pools: readonly Pool[]): readonly string[] =>
  [...new Set(pools.map(({ version }) => version))].toSorted()

/**
 * The process managers of all versions, so that all of them are tested before one is switched, and all are restored when one
 * fails (RTX-119 to RTX-122). Their units are those of the distribution; each is reloaded for its own files alone.
 */
export const poolService = (node: NodeRecord, pools: readonly Pool[]): ManagedService => {
  const versions = versionsOf(pools)
  return {
    name: 'php',
    folders: [{ path: LOCKS, mode: '700', keeping: 'own' }],
    files: versions.flatMap((version) => [
      { path: poolFile(version), mode: '644' },
      { path: moduleFile(version), mode: '644' },
    ]),
    links: versions.map((version) => ({ path: moduleLink(version) })),
    units: versions.map((version) => ({
      name: unitOf(version),
      file: 'foreign',
      isEnabled: true,
      onChange: 'reload',
      reads: [poolFile(version), moduleFile(version), moduleLink(version)],
    })),
    lock: { path: `${LOCKS}/php.lock`, seconds: LOCK_SECONDS, isPrivate: true },
    hooks: {
      check: { source: textFile('check.sh', import.meta.url), argument: versions.join(' ') },
      probe: {
        source: textFile('probe.sh', import.meta.url),
        argument: pools.map(({ name }) => name).join(' '),
      },
    },
    ready: { kind: 'active', seconds: READY_SECONDS },
    removal: { paths: [] },
    render: () => ({ units: {}, ...rendered(node, pools) }),
    failure: (reason, told) => ({
      code: 'app-dev.php_runtime_failed',
      details: { stage: told?.stage ?? STAGES[reason] ?? 'write', message: told?.message ?? SAID[reason] },
    }),
  }
}

/** Throws `app-dev.php_runtime_failed`. */
function rendered(node: NodeRecord, pools: readonly Pool[]) {
  try {
    return {
      files: filesOf(node, pools),
      links: Object.fromEntries(
        versionsOf(pools).map((version) => [moduleLink(version), moduleFile(version)]),
      ),
    }
  } catch (error) {
    if (!(error instanceof UnsafeDirectory)) throw error
    const message = 'A directory of the pools has a quote, a backslash or a dollar sign in its path.'
    throw fail('app-dev.php_runtime_failed', {
      details: { node: identityOf(node), stage: 'render', message },
    })
  }
}

/** Contents by path. Throws UnsafeDirectory. */
export const filesOf = (
  node: Pick<NodeRecord, 'user'>,
  pools: readonly Pool[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    versionsOf(pools).flatMap((version) => {
      const own = pools.filter((pool) => pool.version === version)
      return [
        [poolFile(version), poolsText(own, settingsOf(node))],
        [moduleFile(version), RUNTIME_TEXT],
      ]
    }),
  )
