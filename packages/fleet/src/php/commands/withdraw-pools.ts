import { ROOT_FILES, textFile } from '@fleet/shell'
import { confirmed, type NodeScript, type ReasonCode } from '#/nodes/api.ts'

export interface VersionsTarget {
  readonly root: string
  readonly versions: readonly string[]
}

/** Takes Fleet's pools and settings of these versions away; those of others stay. May be repeated. */
export const withdrawPools: NodeScript<VersionsTarget, void> = {
  source: ['# withdraw PHP pools', ROOT_FILES, textFile('withdraw-pools.sh', import.meta.url)].join('\n'),
  args: ({ root, versions }) => [root, ...versions],
  timeoutSeconds: 180,
  reasons: {
    write: failed('write', 'The pools could not be removed on the Node.'),
    reload: failed('reload', 'PHP could not be reloaded without the pools.'),
  },
  broken: 'app-dev.php_runtime_failed',
  read: confirmed('withdrawn'),
}

function failed(stage: string, message: string): ReasonCode {
  return { code: 'app-dev.php_runtime_failed', details: { stage, message } }
}
