import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Clock } from '@fleet/kernel'

/** Between TERM and KILL. */
const PATIENCE_MILLISECONDS = 1000

/** Runs a line with `sh` on this machine, in a process group of its own. */
export const startGroup = (
  line: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams =>
  spawn('sh', ['-c', line], { cwd, env: { ...env }, detached: true, stdio: 'pipe' })

/** Sends a signal to a whole group; a group that is gone is fine. */
export function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // Gone already, or not ours any more: there is nothing left to end.
  }
}

/** Ends a group: TERM, patience, then KILL. Resolves when it is gone or has been killed. */
export async function endGroup(child: ChildProcessWithoutNullStreams, clock: Clock): Promise<void> {
  const { pid } = child
  if (pid === undefined) return
  signalGroup(child, 'SIGTERM')
  // The first process may be gone while its descendants are not, so its exit event proves nothing.
  for (let waited = 0; waited < PATIENCE_MILLISECONDS && groupLives(pid); waited += STEP_MILLISECONDS) {
    await clock.sleep(STEP_MILLISECONDS)
  }
  signalGroup(child, 'SIGKILL')
}

const STEP_MILLISECONDS = 10

const groupLives = (group: number): boolean => {
  try {
    process.kill(-group, 0)
  } catch {
    return false
  }
  return !existsSync('/proc/self/stat') || hasLivingMember(group)
}

/** A signal also finds members that ended and that nobody reaps, as in a container whose first process does not. */
const hasLivingMember = (group: number): boolean =>
  readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false
    const [state, , memberOf] = statOf(name).split(' ')
    return Number(memberOf) === group && state !== 'Z' && state !== 'X'
  })

/** State, parent and group of a process; the program name before them may hold anything, so what counts is its last bracket. */
const statOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '')
  } catch {
    // It ended between the listing and the look.
    return ''
  }
}
