import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { CannotRun, EXIT, unusable } from '@fleet/node-program'

const BUSY = 1

/**
 * Makes this process the only agent of the machine until it ends, however it ends (AGT-020). Node has no call for a file
 * lock, but one that `flock` takes on an inherited descriptor belongs to the open file, so it stays when `flock` is gone.
 * Throws CannotRun.
 */
export function takeLock(runtime: string): Disposable {
  mkdirSync(runtime, { recursive: true, mode: 0o700 })
  const descriptor = openSync(join(runtime, 'lock'), 'a', 0o600)
  const { status, error } = spawnSync('flock', ['--nonblock', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
  })
  if (status === 0) return { [Symbol.dispose]: () => closeSync(descriptor) }
  closeSync(descriptor)
  if (status === BUSY) throw new CannotRun('another agent is running on this machine', EXIT.alreadyRunning)
  throw unusable('the lock of the agent cannot be taken', error)
}
