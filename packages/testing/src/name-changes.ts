import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Programs that change names, and the one that brings them to the disk, each noting what it did before it does it. */
export interface NameChanges {
  /** Folder to put first on the path. */
  readonly bin: string
  /** Folders in which a name changed after which nothing flushed them: a power cut could take the change back. */
  unflushed(): readonly string[]
}

const PROGRAMS = ['mv', 'ln', 'rm', 'rmdir', 'mkdir', 'sync'] as const

/** Only what is there can lose its name, a folder only when it is empty, and only what is not can get one. */
const SHIM = (log: string): string => `#!/bin/sh
name=\${0##*/}
for word; do
  case $name:$word in
    *:-*) printf '%s\\t%s\\t%s\\n' "$name" "$PWD" "$word" >>'${log}' ;;
    rmdir:*) [ ! -e "$word" ] || [ -n "$(ls -A "$word")" ] ||
      printf '%s\\t%s\\t%s\\n' "$name" "$PWD" "$word" >>'${log}' ;;
    rm:* | mv:*) [ ! -e "$word" ] && [ ! -L "$word" ] && [ "$name" != mv ] ||
      printf '%s\\t%s\\t%s\\n' "$name" "$PWD" "$word" >>'${log}' ;;
    *) printf '%s\\t%s\\t%s\\n' "$name" "$PWD" "$word" >>'${log}' ;;
  esac
done
[ $# -gt 0 ] || printf '%s\\t%s\\t%s\\n' "$name" "$PWD" -f >>'${log}'
PATH=/usr/bin:/bin exec "$name" "$@"
`

export function nameChanges(home: string): NameChanges {
  const bin = join(home, 'name-changes')
  const log = join(bin, 'log')
  mkdirSync(bin)
  writeFileSync(log, '')
  for (const name of PROGRAMS) {
    writeFileSync(join(bin, name), SHIM(log))
    chmodSync(join(bin, name), 0o755)
  }
  return { bin, unflushed: () => unflushedIn(readFileSync(log, 'utf8')) }
}

function unflushedIn(log: string): readonly string[] {
  const open = new Set<string>()
  for (const line of log.split('\n').slice(0, -1)) {
    const [name = '', folder = '', word = ''] = line.split('\t')
    if (name === 'sync') {
      if (word.startsWith('-')) open.clear()
      else open.delete(resolve(folder, word))
    } else if (!word.startsWith('-')) open.add(dirname(resolve(folder, word)))
  }
  return [...open].filter((folder) => existsSync(folder))
}
