import { textFile } from '@fleet/shell'
import {
  type CheckoutPlace,
  checkoutScript,
  directoryWords,
  type Outcome,
  outcome,
} from './checkout-script.ts'
import { excludeLines } from './source-state.ts'

const words = ['ignored', 'failed', ...directoryWords] as const

export interface IgnoredEnvironment extends CheckoutPlace {
  readonly applicationDirectory: string
}

/** Git of the checkout does not see the `.env` file of this directory; what it ignores already stays ignored. */
export const ignoreEnvironment = checkoutScript<IgnoredEnvironment, Outcome<(typeof words)[number]>>(
  textFile('ignore-environment.sh', import.meta.url),
  [],
  {
    args: ({ applicationDirectory: directory }) => [excludeLines(directory)],
    read: outcome(words),
  },
)
