import { programOf, ROOT_FILES, textFile } from '@fleet/shell'
import { confirmed, type NodeScript } from '#/nodes/api.ts'

/** Fleet's own files of a Node, and the root of production homes. */
export interface RoleDirectories {
  readonly settings: string
  readonly homes: string
}

export const ROLE_DIRECTORIES: RoleDirectories = { settings: '/etc/fleet', homes: '/home' }

/**
 * Everybody may pass through Fleet's own directory and nobody but root may look into it. The root of homes is the
 * system's: it is only checked.
 */
export const makeDirectories: NodeScript<RoleDirectories, void> = {
  source: programOf(textFile('make-directories.sh', import.meta.url), ROOT_FILES),
  args: ({ settings, homes }) => [settings, homes],
  timeoutSeconds: 60,
  reasons: {
    settings_unsafe: [
      'node_role.directory_unsafe',
      '/etc/fleet is not a directory of root, or could not be made one. `ls -ld /etc/fleet` on the Node shows what is there; move it away.',
    ],
    homes_unsafe: [
      'node_role.directory_unsafe',
      'Others than root could put a home below /home in the place of another. It must be a directory and no link: ' +
        '`chown root: /home && chmod go-w /home` on the Node.',
    ],
  },
  broken: 'node_role.directory_unsafe',
  read: confirmed('ready'),
}
