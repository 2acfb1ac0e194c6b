import { columnsLog, runSteps, StepFailure, type StepList, stepList, type StepLog } from '@fleet/steps'
import { BACK, FORWARD, type UpgradeFailure, type UpgradeState } from './state.ts'

type ForwardStep = (typeof FORWARD)[number]
type BackStep = (typeof BACK)[number]

/** What each step does. All of them may be repeated; a step answers what later ones must know. */
export interface UpgradeSteps {
  readonly forward: Readonly<Record<ForwardStep, (state: UpgradeState) => Promise<Partial<UpgradeState>>>>
  readonly back: Readonly<Record<BackStep, (state: UpgradeState) => Promise<void>>>
  /** Version of the release that takes these steps. */
  readonly version: string
  /** Leaves the rest to another release, which the next run is of. */
  handOver(version: string): void
  /** Reports the outcome: Activity, event, and what is no longer needed. */
  tell(state: UpgradeState): Promise<void>
  save(state: UpgradeState): void
  /** Keeps why a step failed that is going to be repeated. */
  noteFailure(failure: UpgradeFailure): void
  end(state: UpgradeState): void
}

/** An upgrade on its way. */
export interface Upgrade {
  readonly steps: UpgradeSteps
  /** As saved. */
  state: UpgradeState
  /** What the step that just ended answered. */
  found: Partial<UpgradeState>
}

/** Nothing of it is undone step by step: what fails returns as a whole, by the list below. */
export const upgradeForward = stepList<Upgrade>(
  'gateway-upgrade',
  FORWARD.map((name) => ({
    name,
    run: async (upgrade) => {
      upgrade.found = await upgrade.steps.forward[name](upgrade.state)
    },
  })),
  { forwardOnly: true },
)

/** To the release and the records from before. It begins with what the last step must not leave: a running gateway. */
export const upgradeReturn = stepList<Upgrade>(
  'gateway-return',
  BACK.map((name) => ({ name, run: ({ steps, state }) => steps.back[name](state) })),
  { forwardOnly: true },
)

/**
 * Resumes an upgrade where it was: forward to its end, or, when a step fails, back to the release and the records from
 * before. The state is on the disk before each step, so a killed upgrade resumes there. A step of the return that fails
 * throws, and is kept with its reason; the next run repeats it. The last one, which only looks, ends the upgrade also when it
 * fails: the release from before runs by then, and it may have failed the same check before. Undefined when the rest was handed over: the next run, of another release, ends it.
 */
export async function runUpgrade(
  start: UpgradeState,
  steps: UpgradeSteps,
): Promise<UpgradeState | undefined> {
  const upgrade: Upgrade = { steps, state: start, found: {} }
  if (upgrade.state.phase === 'forward') await goForward(upgrade)
  const found = upgrade.state.phase === 'back' ? await goBack(upgrade) : {}
  change(upgrade, { ...found, phase: 'last', step: 'tell' })
  const teller = tellerOf(upgrade.state)
  if (teller !== steps.version) {
    steps.handOver(teller)
    return undefined
  }
  await repeated(upgrade, () => steps.tell(upgrade.state))
  steps.end(upgrade.state)
  return upgrade.state
}

/** The release that now runs, whose migrations the records have: no other can open them (decision 0313). */
const tellerOf = ({ from, to, reason }: UpgradeState): string => (reason === null ? to : from)

/** Resolves as well when a step failed and the state says that it goes back. */
async function goForward(upgrade: Upgrade): Promise<void> {
  try {
    await run(upgradeForward, upgrade, forwardLog(upgrade))
  } catch (error) {
    if (upgrade.state.phase === 'forward') throw error
  }
}

/** Resolves as well when only the look at the release from before failed: to the reason with that. */
async function goBack(upgrade: Upgrade): Promise<Partial<UpgradeState>> {
  try {
    await repeated(upgrade, () => run(upgradeReturn, upgrade, returnLog(upgrade)))
    return {}
  } catch (error) {
    const { step, reason, from } = upgrade.state
    if (step !== 'smoke-back' || !reason) throw error
    const message = `${reason.message}; after the return ${from} failed too: ${messageFrom(error)}`
    return { reason: { ...reason, message } }
  }
}

async function repeated(upgrade: Upgrade, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { id, step } = upgrade.state
    upgrade.steps.noteFailure({ id, step, message: messageFrom(error) })
    throw error
  }
}

const messageFrom = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function run(list: StepList<Upgrade>, upgrade: Upgrade, log: StepLog): Promise<void> {
  try {
    await runSteps(list, upgrade, log)
  } catch (error) {
    throw error instanceof StepFailure ? (error.recordFailure ?? error.cause) : error
  }
}

/** The state file: the step at work, what the steps found, and where it turned back. */
export const forwardLog = (upgrade: Upgrade): StepLog =>
  columnsLog<Partial<UpgradeState>>({
    done: () => before(FORWARD, upgrade.state.step),
    on: {
      started: (step) => ({ step: step as ForwardStep }), // Of the list above.
      done: () => upgrade.found,
      failed: (step, cause) => ({
        phase: 'back',
        step: BACK[0],
        reason: { step, message: messageFrom(cause) },
      }),
    },
    write: async (values) => change(upgrade, values),
  })

export const returnLog = (upgrade: Upgrade): StepLog =>
  columnsLog<Partial<UpgradeState>>({
    done: () => before(BACK, upgrade.state.step),
    on: { started: (step) => ({ step: step as BackStep }) }, // Of the list above.
    write: async (values) => change(upgrade, values),
  })

function change(upgrade: Upgrade, values: Partial<UpgradeState>): void {
  const next = { ...upgrade.state, ...values }
  upgrade.steps.save(next)
  upgrade.state = next
}

const before = (steps: readonly string[], step: string): readonly string[] =>
  steps.slice(0, Math.max(0, steps.indexOf(step)))
