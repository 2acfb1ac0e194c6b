import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { flushFolder, replaceFile } from '@fleet/pki'
import { run } from '@fleet/shell'
import type { Clock } from '@fleet/kernel'
import { GATEWAY_UNIT } from '#/console/places.ts'
import { type Programs, systemPrograms } from '#/console/programs.ts'
import { UPGRADE_FILES } from './state.ts'

const PAUSE_MILLISECONDS = 250
const STOP_SECONDS = 120

export interface ServiceMachine {
  readonly clock: Clock
  readonly programs: Programs
  /** While this file is there, the unit does not start. */
  readonly holdFile: string
}

/** The gateway's process during an upgrade. */
export interface GatewayService {
  /** Keeps it from starting, also after a reboot in the middle, until `start` is called. */
  hold(): void
  /** Lets it finish its work in progress, at most this long, and stops it. */
  drain(seconds: number): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
}

export const systemMachine = (clock: Clock): ServiceMachine => ({
  clock,
  programs: systemPrograms,
  holdFile: UPGRADE_FILES.hold,
})

export function gatewayService({ clock, programs, holdFile }: ServiceMachine): GatewayService {
  const { attempt, must } = programs
  const hold = (): void => replaceFile(holdFile, '', 0o644)
  const isRunning = async (): Promise<boolean> => {
    const { stdout } = await attempt(
      run('systemctl', 'show', '--property=ActiveState', '--value', GATEWAY_UNIT),
    )
    return ['active', 'deactivating', 'reloading'].includes(stdout.toString('utf8').trim())
  }
  const stop = async (): Promise<void> => {
    hold()
    await must(run('systemctl', 'stop', GATEWAY_UNIT), { timeoutSeconds: STOP_SECONDS })
  }
  return {
    hold,
    async drain(seconds) {
      hold()
      // The gateway alone: its children, such as Git, belong to requests that are to end.
      if (await isRunning())
        await attempt(run('systemctl', 'kill', '--kill-whom=main', '--signal=SIGUSR2', GATEWAY_UNIT))
      const end = clock.ticks() + seconds * 1000
      while ((await isRunning()) && clock.ticks() < end) await clock.sleep(PAUSE_MILLISECONDS)
      await stop()
    },
    stop,
    async start() {
      rmSync(holdFile, { force: true })
      flushFolder(dirname(holdFile))
      await attempt(run('systemctl', 'reset-failed', GATEWAY_UNIT))
      await must(run('systemctl', 'start', GATEWAY_UNIT))
    },
  }
}
