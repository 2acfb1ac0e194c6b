import { accessSync, chmodSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Programs of the scripts on a Node: those that change something, and one with which a file is only looked at. */
const PROGRAMS = ['df', 'git', 'mkdir', 'mv', 'rm', 'cp', 'chmod', 'touch', 'find', 'sync']

const POLL_MILLISECONDS = 2
const LIMIT_MILLISECONDS = 30_000

/**
 * Stops a Node at a chosen command: stands before the programs in PATH, counts those that scripts on a Node start, and
 * holds the one with the chosen number until it is let go.
 */
export interface Gate {
  /** PATH with the gate in front. */
  readonly path: string
  /** From now on commands are counted from 1, and the given one is held. */
  arm(at: number): void
  /** Resolves with the process group of the held command. */
  reached(signal: AbortSignal): Promise<number>
  /** Lets the held command and all later ones pass. */
  open(): void
  /** Commands counted since it was armed, the held one included. */
  count(): number
}

export function makeGate(folder: string, nodes: string): Gate {
  const programs = join(folder, 'programs')
  mkdirSync(programs, { recursive: true })
  const search = process.env['PATH'] ?? ''
  for (const name of PROGRAMS) {
    const real = find(name, search)
    if (real === undefined) continue
    writeFileSync(join(programs, name), standIn(real, folder, nodes, search))
    chmodSync(join(programs, name), 0o755)
  }
  const at = (name: string): string => join(folder, name)
  const disarm = (): void => {
    for (const name of ['armed', 'held', 'taken']) rmSync(at(name), { recursive: true, force: true })
  }
  return {
    path: programs + delimiter + search,
    arm: (number) => {
      disarm()
      rmSync(at('log'), { force: true })
      writeFileSync(at('armed'), `${number}\n`)
    },
    reached: (signal) => heldGroup(at('held'), signal),
    open: disarm,
    count: () => linesIn(at('log')),
  }
}

function find(name: string, search: string): string | undefined {
  return search
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}

// Counts with what the shell itself can do: a program started for every command would slow the scripts down severalfold.
const standIn = (real: string, folder: string, nodes: string, search: string): string => `#!/bin/sh
case $PWD/ in '${nodes}/'*)
  if read -r at 2>/dev/null <'${folder}/armed'; then
    echo "${real} $1" >>'${folder}/log'
    count=0
    while read -r line; do count=$((count + 1)); done <'${folder}/log'
    if [ "$count" -ge "$at" ]; then
      own=$PATH PATH='${search}'
      if mkdir '${folder}/taken'; then
        ps -o pgid= -p $$ >'${folder}/held.part' && mv '${folder}/held.part' '${folder}/held'
        while [ -e '${folder}/armed' ]; do sleep 0.02; done
      fi
      PATH=$own
    fi 2>/dev/null
  fi ;;
esac
exec '${real}' "$@"
`

async function heldGroup(path: string, signal: AbortSignal): Promise<number> {
  const giveUp = performance.now() + LIMIT_MILLISECONDS
  for (;;) {
    const group = Number(contentOf(path))
    if (group > 0) return group
    if (performance.now() > giveUp) throw new Error('no command was held in time')
    await sleep(POLL_MILLISECONDS, undefined, { signal })
  }
}

const linesIn = (path: string): number => (contentOf(path).match(/\n/g) ?? []).length

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
