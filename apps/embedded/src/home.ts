import { chmodSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { holdFile } from '@fleet/gateway'
import { announcementIn } from './announcement.ts'
import { StartRefused } from './refusal.ts'

const LOG_MAX_BYTES = 16 * 1024 * 1024

/** The folder of all durable state, held by one process at a time. */
export interface Home {
  readonly path: string
  /** Path of a file or folder below it. */
  in(...names: readonly string[]): string
  release(): void
}

/**
 * Makes the folder with mode 0700, takes it for this process and clears what a killed run left.
 * Throws StartRefused when another fleet runs on it or it cannot be used.
 */
export function openHome(path: string): Home {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
  } catch (error) {
    throw new StartRefused(`${path} cannot be created or used as the home of the fleet: ${reasonOf(error)}`)
  }
  const lock = takeLock(path)
  rmSync(join(path, 'embedded.json'), { force: true })
  setAsideLargeLog(join(path, 'gateway.log'))
  return { path, in: (...names) => join(path, ...names), release: () => lock[Symbol.dispose]() }
}

function takeLock(home: string): Disposable {
  const held = holdFile(join(home, 'embedded.lock'))
  if (held) return held
  const running = announcementIn(home)
  const which = running ? ` (process ${running.pid}, ${running.base_url})` : ''
  throw new StartRefused(
    `An embedded fleet is already running on ${home}${which}.\n` +
      `Use it, or stop it with ${running ? `kill ${running.pid}` : 'Ctrl-C in its terminal'}.\n` +
      'A second fleet needs its own FLEET_HOME and FLEET_EMBEDDED_PORT.',
  )
}

function setAsideLargeLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_MAX_BYTES) renameSync(path, `${path}.1`)
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
