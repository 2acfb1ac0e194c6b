import { programOf, DURABLE, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/session/script.ts'

export interface AppsRoot {
  readonly path: string
  readonly mayCreate: boolean
}

/**
 * Checks an apps path as the managed user and, when allowed, makes what is missing with mode 0755. An existing directory
 * keeps owner and mode; a failed creation leaves nothing (NODE-109, NODE-110).
 */
export const checkAppsRoot: NodeScript<AppsRoot, 'accepted' | 'created'> = {
  source: programOf(textFile('apps-root.sh', import.meta.url), DURABLE),
  as: 'login',
  args: ({ path, mayCreate }) => [path, mayCreate ? 'create' : 'keep'],
  timeoutSeconds: 30,
  reasons: {
    missing: 'node.settings_root_failed',
    symbolic_link: 'node.settings_root_failed',
    not_a_directory: 'node.settings_root_failed',
    foreign_owner: 'node.settings_root_failed',
    writable_by_others: 'node.settings_root_failed',
    create_failed: 'node.settings_root_failed',
  },
  broken: { code: 'node.settings_root_failed', details: { reason: 'check_failed' } },
  read: (answer) => answer.word('root', ['accepted', 'created']),
}
