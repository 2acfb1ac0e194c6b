import { type Answer, programOf, ROOT_FILES, textFile } from '@fleet/shell'
import type { MoreOfRefusal, NodeScript } from '#/nodes/api.ts'
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
  /** A user of this name that Fleet did not create becomes the managed one, and so root. */
  readonly mayTakeOver: boolean
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
  args: ({ user, publicKey, mayTakeOver }) => [
    user,
    publicKey.trim(),
    LOCK_SECONDS,
    mayTakeOver ? 'yes' : 'no',
    ...BASE_PACKAGES,
  ],
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
    'foreign-user': 'node.bootstrap_failed',
    'no-login': 'node.bootstrap_failed',
    'user-failed': 'node.bootstrap_failed',
    'key-failed': 'node.bootstrap_failed',
    'sudo-failed': 'node.bootstrap_failed',
  },
  more: (answer, reason) =>
    reason === 'would_remove' ? blockedBy(answer, 'a Node') : ofUser(answer, reason),
  broken: { code: 'node.bootstrap_failed', details: { reason: 'broken' } },
  read: (answer) => answer.word('outcome', ['prepared', 'unchanged']),
}

/** What a refusal says of the user that was to be the managed one; undefined where the reason is another. */
function ofUser(answer: Answer, reason: string): MoreOfRefusal | undefined {
  const [user, shell, path] = ['user', 'shell', 'path'].map((name) => plain(answer.get(name)))
  if (user === undefined) return undefined
  if (reason === 'foreign-user')
    return {
      message:
        `The machine has a user ${user} that Fleet did not create. As the managed user it, and whoever logs in as it, would ` +
        `become root without a password, so nothing was changed. To have it used, name it: \`--fleet-user ${user}\`.`,
      details: { user },
    }
  if (reason === 'no-login' && shell !== undefined)
    return {
      message:
        `The managed user ${user} has the login shell ${shell}, which lets nobody log in. ` +
        `\`chsh -s /bin/bash ${user}\` on the machine changes that, if the user may log in; then repeat the command.`,
      details: { user, shell },
    }
  if (reason === 'key-failed' && path !== undefined)
    return {
      message:
        `The managed user ${user} cannot write ${path}, so the key of the gateway could not be added. It needs a home ` +
        `directory of its own: where that is one, \`chown ${user}: ${path}\` on the machine lets it write; then repeat the command.`,
      details: { user, path },
    }
  return undefined
}

/** Names and paths as people give them; a message shows no others. */
const plain = (field: Buffer | undefined): string | undefined => {
  const text = field?.toString() ?? ''
  return /^[\w./@+-]{1,256}$/.test(text) ? text : undefined
}
