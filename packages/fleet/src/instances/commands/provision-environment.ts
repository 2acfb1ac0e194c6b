import { textFile } from '@fleet/shell'
import {
  type CheckoutPlace,
  checkoutScript,
  directoryWords,
  type Outcome,
  outcome,
} from './checkout-script.ts'
import { DESCEND, MANIFEST_MAX_BYTES } from './examine-source.ts'

const words = ['kept', 'made', 'unsafe-directory', 'unsafe-example', 'failed', ...directoryWords] as const

export interface Provision extends CheckoutPlace {
  readonly applicationDirectory: string
  /** An empty file where there is no `.env.example`. */
  readonly emptyWithout: boolean
  /** What `APP_URL` says in it; undefined leaves it as the example has it. */
  readonly url: string | undefined
}

/**
 * Makes the first `.env` of a source that has none: a copy of `.env.example`, or an empty file where it is asked for
 * (INS-056). Mode 0600; linked into place complete, so a file that appears meanwhile stays.
 */
export const provisionEnvironment = checkoutScript<Provision, Outcome<(typeof words)[number]>>(
  textFile('provision-environment.sh', import.meta.url),
  [DESCEND],
  {
    args: ({ applicationDirectory, emptyWithout, url }) => [
      applicationDirectory,
      emptyWithout ? 'empty' : 'none',
      MANIFEST_MAX_BYTES,
      url ?? '',
    ],
    read: outcome(words),
  },
)
