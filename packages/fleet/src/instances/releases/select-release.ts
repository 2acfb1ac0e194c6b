import { textFile } from '@fleet/shell'
import {
  type CheckoutPlace,
  checkoutScript,
  directoryWords,
  type Outcome,
  outcome,
} from '#/instances/commands/checkout-script.ts'

const words = ['selected', 'incomplete', 'failed', ...directoryWords] as const

export interface Selection extends CheckoutPlace {
  /** A release that was just prepared is complete from this moment. */
  readonly isNew: boolean
}

/** Moves `current` to a release by one rename (DEPL-014). */
export const selectRelease = checkoutScript<Selection, Outcome<(typeof words)[number]>>(
  textFile('select-release.sh', import.meta.url),
  ['move() { mv -fT -- "$1" "$2" && flush_names "$2"; }'],
  {
    args: ({ isNew }) => [isNew ? 'new' : 'kept'],
    read: outcome(words),
  },
)
