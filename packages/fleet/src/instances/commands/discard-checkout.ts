import { textFile } from '@fleet/shell'
import {
  type CheckoutPlace,
  checkoutScript,
  directoryWords,
  type Outcome,
  outcome,
} from './checkout-script.ts'
import { candidatePatterns, environmentFile, SOURCE_STATE } from './source-state.ts'

/**
 * - `attempt` what an unfinished creation made, its half-built directory included
 * - `normal` a source that must still be as source_preparation recorded it
 * - `force` a source whose work was given up; only its linked worktrees must be the recorded ones
 */
export type DiscardMode = 'attempt' | 'normal' | 'force'

/** Questions about the branch of a linked worktree. */
export const SEED = textFile('seed.sh', import.meta.url)

export interface Discard extends CheckoutPlace {
  readonly quarantineId: string
  readonly mode: DiscardMode
  /** The `.env` file in it never counts as work; the root when absent. */
  readonly applicationDirectory?: string
  /** The branch of a linked worktree was made with it, and goes when the origin has all of it. */
  readonly dropsBranch?: boolean
}

const words = [
  'gone',
  'erase-failed',
  'changed',
  'worktrees-changed',
  'unrecorded',
  ...directoryWords,
] as const

interface Discarded extends Outcome<(typeof words)[number]> {
  /** A folder of another account that keeps it from being deleted. */
  readonly path: string | undefined
}

/**
 * Renames a proven checkout into quarantine beside it and deletes it there, the receipt last, so that a run cut off
 * anywhere is finished by the next one (INS-053, INS-115). What the receipt does not prove stays as it is.
 */
export const discardCheckout = checkoutScript<Discard, Discarded>(
  textFile('discard-checkout.sh', import.meta.url),
  [SOURCE_STATE, SEED],
  {
    isLong: true,
    args: ({ quarantineId, mode, applicationDirectory = '', dropsBranch = false }) => [
      quarantineId,
      mode,
      environmentFile(applicationDirectory),
      candidatePatterns(applicationDirectory),
      dropsBranch ? 'drop' : '',
    ],
    read: (answer) => ({ ...outcome(words)(answer), path: answer.get('path')?.toString() }),
  },
)
