import type { Clock } from '@fleet/kernel'
import { Refusal } from '#/console/refusal.ts'
import { failureText, type UpgradeFailure, type UpgradeState } from './state.ts'

const PAUSE_MILLISECONDS = 200
/** A unit that was just started is not running for a moment. */
const SILENT_ROUNDS = 25

export interface Following {
  readonly clock: Clock
  readonly say: (line: string) => void
  /** The upgrade in progress, and what the last one came to. */
  readonly find: () => UpgradeState | undefined
  readonly findOutcome: () => UpgradeState | undefined
  /** Why the step at which it is failed the last time. */
  readonly findFailure: (state: UpgradeState) => UpgradeFailure | undefined
  /** Whether something carries the upgrade out. */
  readonly isCarried: () => Promise<boolean>
}

/**
 * Shows the steps that the unit takes until the upgrade has ended, and answers its last state. Whoever stops watching stops
 * nothing. Throws Refusal when nothing carries the upgrade out any more.
 */
export async function followUpgrade({ id }: UpgradeState, deps: Following): Promise<UpgradeState> {
  const { clock, say, find, findOutcome, findFailure, isCarried } = deps
  let shown: UpgradeState | undefined
  let told: string | undefined
  for (let silent = 0; ; silent = (await isCarried()) ? 0 : silent + 1) {
    const now = find()
    if (now?.id === id && now.step !== shown?.step) {
      if (now.reason && !shown?.reason) say(`failed   ${now.reason.step}: ${now.reason.message}`)
      say(`${now.phase.padEnd(8)} ${now.step}`)
      shown = now
    }
    const failed = now?.id === id ? findFailure(now) : undefined
    if (failed && failed.message !== told) say(`again    ${failed.step}: ${failureText(failed)}`)
    told = failed?.message
    const outcome = now ? undefined : findOutcome()
    if (outcome?.id === id) return outcome
    if (silent >= SILENT_ROUNDS) throw interrupted(shown)
    await clock.sleep(PAUSE_MILLISECONDS)
  }
}

const interrupted = (state: UpgradeState | undefined): Refusal =>
  new Refusal(
    `The upgrade stopped at ${state?.step ?? 'its beginning'}, and nothing carries it out any more.`,
    'Run the same command again: the upgrade resumes there.',
  )
