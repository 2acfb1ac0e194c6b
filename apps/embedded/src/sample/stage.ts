import type { Clock } from '@fleet/kernel'
import type { Client } from '@fleet/sdk'
import type { EmbeddedEnv } from '#/env.ts'
import type { RunningFleet } from '#/fleet.ts'
import type { Screen } from '#/screen.ts'

/** What every part of the show works with. */
export interface Stage {
  readonly fleet: RunningFleet
  readonly env: EmbeddedEnv
  readonly screen: Screen
  readonly client: Client
  readonly clock: Clock
  /** Aborts when the process is stopped, and with it a request in progress. */
  readonly stopping: AbortSignal
}
