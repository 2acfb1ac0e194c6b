import { BACK, FORWARD, type UpgradeState } from './state.ts'

type ForwardStep = (typeof FORWARD)[number]
type BackStep = (typeof BACK)[number]

/** What each step does. All of them may be repeated; a step answers what later ones must know. */
export interface UpgradeSteps {
  readonly forward: Readonly<Record<ForwardStep, (state: UpgradeState) => Promise<Partial<UpgradeState>>>>
  readonly back: Readonly<Record<BackStep, (state: UpgradeState) => Promise<void>>>
  /** Tells the outcome: Activity, event, and what is no longer needed. */
  tell(state: UpgradeState): Promise<void>
  save(state: UpgradeState): void
  end(state: UpgradeState): void
}

/**
 * Carries an upgrade on from where it was: forward to its end, or, when a step fails, back to the release and the records
 * from before. The state is on the disk before each step, so a killed upgrade goes on there. A step of the way back that
 * fails throws; the next run repeats it.
 */
export async function runUpgrade(start: UpgradeState, steps: UpgradeSteps): Promise<UpgradeState> {
  let state = start
  const at = (change: Partial<UpgradeState>): void => {
    state = { ...state, ...change }
    steps.save(state)
  }
  if (state.phase === 'forward') await goForward()
  if (state.phase === 'back') {
    for (const step of from(BACK, state.step)) {
      at({ step })
      await steps.back[step](state)
    }
  }
  at({ phase: 'last', step: 'tell' })
  await steps.tell(state)
  steps.end(state)
  return state

  async function goForward(): Promise<void> {
    for (const step of from(FORWARD, state.step)) {
      at({ step })
      try {
        at(await steps.forward[step](state))
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        return at({ phase: 'back', step: BACK[0], reason: { step, message } })
      }
    }
  }
}

const from = <T extends string>(steps: readonly T[], step: string): readonly T[] =>
  steps.slice(
    Math.max(
      0,
      steps.findIndex((one) => one === step),
    ),
  )
