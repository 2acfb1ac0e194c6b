import { type PostgresPrograms, runAs } from '@fleet/testing'

/** A tree of a Debian release with a PostgreSQL. */
export interface PostgresTree {
  readonly path: string
  /** As Debian names its folder: 15. */
  readonly version: number
}

/** The programs, libraries and shared files of the tree are in the places of this machine's, and root is left. */
const START = `mount --rbind "$1/usr" /usr && shift && exec setpriv --clear-groups "$@"`

/**
 * The programs of a tree, for root alone. They find their files by where they are, and `initdb` starts `postgres` by itself,
 * so that the whole of `/usr` is the tree's for them.
 */
export function programsOf({ path, version }: PostgresTree): PostgresPrograms {
  const { uid = 0, gid = 0 } = runAs()
  const leave = [`--reuid=${uid}`, `--regid=${gid}`]
  return {
    words: (program) => [
      ...(['unshare', '--mount', 'sh', '-c', START, 'sh', path] as const),
      ...leave,
      `/usr/lib/postgresql/${version}/bin/${program}`,
    ],
    user: {},
  }
}
