import { type Answer, textFile } from '@fleet/shell'
import {
  type CheckoutPlace,
  directoryWords,
  remoteScript,
  type WithLogin,
} from '#/instances/commands/checkout-script.ts'
import { type Blocked, blockedBy, CHECKING_OUT, checkingOutWords } from '#/instances/commands/checking-out.ts'
import { type GitReason, gitReason } from '#/projects/api.ts'
import { candidatePatterns, environmentFile, SOURCE_STATE } from '#/instances/commands/source-state.ts'

const words = [
  'updated',
  'dirty',
  'branch',
  'fetch-failed',
  'branch-missing',
  'diverged',
  'git-missing',
  ...checkingOutWords,
  ...directoryWords,
] as const

export interface CheckoutUpdate extends CheckoutPlace, WithLogin {
  readonly repositoryUrl: string
  readonly branch: string
  /** Repository-relative; its `.env` never counts as work. */
  readonly applicationDirectory: string
}

export type UpdatedCheckout =
  | { readonly word: 'updated'; readonly commit: string }
  | { readonly word: 'fetch-failed'; readonly gitReason: GitReason | undefined }
  | Blocked
  /** The reference that HEAD names; empty for a commit without a branch. */
  | { readonly word: 'branch'; readonly head: string }
  | {
      readonly word: Exclude<(typeof words)[number], 'updated' | 'fetch-failed' | 'branch' | Blocked['word']>
    }

/** Brings a clean checkout on its branch to the latest commit, forward only: nobody's work is overwritten. */
export const updateCheckout = remoteScript<CheckoutUpdate, UpdatedCheckout>(
  textFile('update-checkout.sh', import.meta.url),
  [SOURCE_STATE, CHECKING_OUT],
  {
    args: ({ repositoryUrl, branch, applicationDirectory }) => [
      repositoryUrl,
      branch,
      environmentFile(applicationDirectory),
      candidatePatterns(applicationDirectory),
    ],
    read: (answer: Answer) => {
      const word = answer.word('answer', words)
      if (word === 'updated') return { word, commit: answer.text('commit') }
      if (word === 'fetch-failed') return { word, gitReason: gitReason(answer.text('complaint')) }
      if (word === 'branch') return { word, head: answer.text('head') }
      if (word === 'in-the-way' || word === 'locked') return blockedBy(word, answer)
      return { word }
    },
  },
)
