import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NOBODY, type ServerPlace, type Words } from './server-world.ts'

/** The tree is where the user of the server can read it, in no one else's sight, and root is left. */
const START = `mkdir -p "$2" && mount --bind "$1" "$2" && shift 2 &&
  exec setpriv --reuid=${NOBODY} --regid=${NOBODY} --clear-groups "$@"`

/** The words that start a program of a tree of another Debian, with the loader and the libraries of the tree. */
export function programOf(tree: string, program: string, seen = tree): Words {
  const find = (pattern: string): string => join(seen, globSync(pattern, { cwd: tree })[0] ?? pattern)
  return [
    find('usr/lib{,64}/ld-linux*.so*'),
    '--library-path',
    dirname(find('usr/lib/*/libc.so.6')),
    join(seen, program),
  ]
}

/** Where a server of a tree sees the tree. */
export const seenTree = ({ folder }: ServerPlace): string => join(folder, 'tree')

/** The words that start a server of such a tree, with the files of this machine. */
export function serverOf(tree: string, program: string, place: ServerPlace): Words {
  const seen = seenTree(place)
  return ['unshare', '--mount', 'sh', '-c', START, 'sh', tree, seen, ...programOf(tree, program, seen)]
}
