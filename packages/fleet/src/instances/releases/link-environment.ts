import { textFile } from '@fleet/shell'
import {
  type CheckoutPlace,
  checkoutScript,
  directoryWords,
  type Outcome,
  outcome,
} from '#/instances/commands/checkout-script.ts'

const words = ['linked', 'failed', ...directoryWords] as const

export interface EnvironmentLinks extends CheckoutPlace {
  /** Repository-relative; empty for the root. */
  readonly applicationDirectory: string
  /** Its selection brings all of it to the disk. */
  readonly isNew: boolean
}

/** Links the `.env` files of the home into a release (ENV-019, RTE-154). */
export const linkEnvironment = checkoutScript<EnvironmentLinks, Outcome<(typeof words)[number]>>(
  textFile('link-environment.sh', import.meta.url),
  [textFile('../commands/descend.sh', import.meta.url)],
  {
    args: ({ applicationDirectory, isNew }) => [applicationDirectory, isNew ? 'new' : 'kept'],
    read: outcome(words),
  },
)
