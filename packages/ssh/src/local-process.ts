import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
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
  signalGroup(child, 'SIGTERM')
  for (let waited = 0; waited < PATIENCE_MILLISECONDS && groupLives(child); waited += STEP_MILLISECONDS) {
    // The first process may be gone while its descendants are not, so its exit event proves nothing.
    await clock.sleep(STEP_MILLISECONDS)
  }
  signalGroup(child, 'SIGKILL')
}

const STEP_MILLISECONDS = 20

const groupLives = (child: ChildProcessWithoutNullStreams): boolean => {
  if (child.pid === undefined) return false
  try {
    process.kill(-child.pid, 0)
    return true
  } catch {
    return false
  }
}
