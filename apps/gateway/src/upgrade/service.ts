import { rmSync, writeFileSync } from 'node:fs'
import { run } from '@fleet/shell'
import type { Clock } from '@fleet/kernel'
import { GATEWAY_UNIT } from '#/console/places.ts'
import { attempt, must } from '#/console/programs.ts'
import { UPGRADE_FILES } from './state.ts'

const PAUSE_MILLISECONDS = 250
const STOP_SECONDS = 120

/** Keeps the gateway from starting, also after a reboot in the middle, until `release` is called. */
export const hold = (): void => writeFileSync(UPGRADE_FILES.hold, '')
export const release = (): void => rmSync(UPGRADE_FILES.hold, { force: true })

const isRunning = async (): Promise<boolean> => {
  const { stdout } = await attempt(
    run('systemctl', 'show', '--property=ActiveState', '--value', GATEWAY_UNIT),
  )
  return ['active', 'deactivating', 'reloading'].includes(stdout.toString('utf8').trim())
}

/** Lets the gateway finish its work in progress, at most this long, and stops it. */
export async function drainService(clock: Clock, seconds: number): Promise<void> {
  hold()
  if (await isRunning()) await attempt(run('systemctl', 'kill', '--signal=SIGUSR2', GATEWAY_UNIT))
  const end = clock.ticks() + seconds * 1000
  while ((await isRunning()) && clock.ticks() < end) await clock.sleep(PAUSE_MILLISECONDS)
  await stopService()
}

export async function stopService(): Promise<void> {
  hold()
  await must(run('systemctl', 'stop', GATEWAY_UNIT), { timeoutSeconds: STOP_SECONDS })
}

export async function startService(): Promise<void> {
  release()
  await attempt(run('systemctl', 'reset-failed', GATEWAY_UNIT))
  await must(run('systemctl', 'start', GATEWAY_UNIT))
}
