import { textFile } from '@fleet/shell'
import { type CheckoutPlace, checkoutScript, outcome } from './checkout-script.ts'
import { SEED } from './discard-checkout.ts'

/** Receipts of directories that come from elsewhere. */
export const ADOPTION = textFile('adoption.sh', import.meta.url)
/** What of a checkout names its place. */
export const NAMING = textFile('naming.sh', import.meta.url)
/** How it follows the checkout to another one. */
export const REHOMING = [NAMING, textFile('rehome.sh', import.meta.url)]
/** What Git is not to show of them. */
export const IGNORE = textFile('ignore.sh', import.meta.url)

const words = [
  'prepared',
  'occupied',
  'root-missing',
  'folder-missing',
  'root-unusable',
  'unsafe',
  'git-missing',
  'storage-full',
  'storage-read-only',
  'failed',
] as const

export type Prepared = (typeof words)[number]

/**
 * Makes an empty repository with its ownership receipt at the checkout path, or finds the one this attempt made
 * (INS-053). The directory is built beside the path and renamed, so that whatever has the name is complete and proven.
 */
export const prepareCheckout = checkoutScript(textFile('prepare-checkout.sh', import.meta.url), [], {
  read: outcome(words),
})

export interface WorktreePlace extends CheckoutPlace {
  readonly main: CheckoutPlace
  /** A commit of its repository. */
  readonly start: string
  /** Asked for only: a branch that somebody else has there makes the repository `unusable`. */
  readonly branch: string
}

/** The same with a linked worktree of another checkout, without files yet. */
export const prepareWorktree = checkoutScript(
  textFile('prepare-worktree.sh', import.meta.url),
  [ADOPTION, SEED],
  {
    args: ({ main, start, branch }: WorktreePlace) => [main.checkoutPath, main.preparationId, start, branch],
    read: outcome([...words, 'unusable']),
  },
)
