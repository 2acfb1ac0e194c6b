import { readFileSync } from 'node:fs'
import { systemClock } from '@fleet/kernel'
import { createClient } from '@fleet/sdk'
import type { EmbeddedEnv } from '#/env.ts'
import type { RunningFleet } from '#/fleet.ts'
import type { Screen } from '#/screen.ts'
import { makeTransport } from '#/transport.ts'
import { explain } from './explain.ts'
import { showNext } from './next.ts'
import { isFinished, markFinished } from './finished.ts'
import { runSample } from './run.ts'
import type { Stage } from './stage.ts'
import { showStored } from './stored.ts'

/**
 * Runs the sample project at the first start and prints what is stored at later ones, then what to try. It uses the
 * gateway like any client. A step that fails is reported, and the fleet keeps running.
 */
export async function showFleet(
  fleet: RunningFleet,
  env: EmbeddedEnv,
  screen: Screen,
  stopping: AbortSignal,
): Promise<void> {
  using transport = makeTransport({ ca: readFileSync(fleet.caFile, 'utf8') })
  const client = createClient({ baseUrl: fleet.baseUrl, transport, clientName: 'embedded' })
  const stage: Stage = { fleet, env, screen, client, clock: systemClock, stopping }
  try {
    if (env.sample && !isFinished(fleet.home)) {
      await runSample(stage)
      markFinished(fleet.home)
    } else await showStored(stage)
  } catch (error) {
    if (stopping.aborted) return
    screen.failed('Stopped', ...explain(error))
    screen.line('The fleet is running. The next start resumes the sample where it stopped.')
  }
  await showNext(stage)
}
