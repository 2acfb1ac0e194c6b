import { programOf, ROOT_FILES, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'
import { blockedBy, REMOVED_BY } from '#/tools/api.ts'

/** Everything that Fleet and its roles expect of a managed Debian machine (NODE-051). */
export const BASE_PACKAGES = [
  'acl',
  'ca-certificates',
  'git',
  'nftables',
  'procps',
  'rsync',
  'sqlite3',
  'sudo',
  'systemd-resolved',
  'ufw',
  'wireguard-go',
  'wireguard-tools',
] as const

export interface Preparation {
  readonly user: string
  /** Line of `authorized_keys` that lets the gateway in. */
  readonly publicKey: string
}

/** How long another package operation is waited for. */
const LOCK_SECONDS = 120

/**
 * Base packages where missing, the managed user with the gateway's key, and its right to become root, tried by `visudo`
 * before it counts. Safe to repeat: what exists does not change.
 */
export const prepare: NodeScript<Preparation, 'prepared' | 'unchanged'> = {
  isLong: true,
  source: programOf(textFile('prepare.sh', import.meta.url), ROOT_FILES, REMOVED_BY),
  args: ({ user, publicKey }) => [user, publicKey.trim(), LOCK_SECONDS, ...BASE_PACKAGES],
  timeoutSeconds: 480,
  reasons: {
    'unsupported-system': [
      'node.bootstrap_failed',
      'The machine has no apt and dpkg: Fleet manages Debian and its derivatives.',
    ],
    'other-firewall': [
      'node.bootstrap_failed',
      'firewalld is on. Nodes have ufw, and whenever firewalld starts it removes the rules of ufw but not its policy, so that nobody reaches the machine any more. Nothing was changed. ' +
        '`firewall-cmd --list-all-zones` there shows what it admits, `systemctl disable --now firewalld` turns it off; then repeat the command. Its answer lists the ports that ufw closes.',
    ],
    'packages-locked': {
      code: 'node.bootstrap_failed',
      details: { error_code: 'node.tool_manager_locked' },
    },
    'packages-failed': 'node.bootstrap_failed',
    would_remove: 'node.bootstrap_failed',
    'user-failed': 'node.bootstrap_failed',
    'key-failed': 'node.bootstrap_failed',
    'sudo-failed': 'node.bootstrap_failed',
  },
  more: (answer, reason) => (reason === 'would_remove' ? blockedBy(answer, 'a Node') : undefined),
  broken: { code: 'node.bootstrap_failed', details: { reason: 'broken' } },
  read: (answer) => answer.word('outcome', ['prepared', 'unchanged']),
}
