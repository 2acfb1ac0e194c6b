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
  | DirtyCheckout
  /** The reference that HEAD names; empty for a commit without a branch. */
  | { readonly word: 'branch'; readonly head: string }
  | {
      readonly word: Exclude<
        (typeof words)[number],
        'updated' | 'fetch-failed' | 'branch' | 'dirty' | Blocked['word']
      >
    }

/** What is in the checkout alone. */
export interface DirtyCheckout {
  readonly word: 'dirty'
  readonly cleanliness: (typeof dirt)[number]
  /** Repository-relative paths of the first files of `dirty`; each a bounded line of somebody's name for a file. */
  readonly files: readonly string[]
  /** Of all of them. */
  readonly count: number
}

const dirt = ['dirty', 'unreadable'] as const
const MAX_NAME_CHARACTERS = 100

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
      if (word === 'dirty') return dirtyCheckout(answer)
      if (word === 'in-the-way' || word === 'locked') return blockedBy(word, answer)
      return { word }
    },
  },
)

const dirtyCheckout = (answer: Answer): DirtyCheckout => ({
  word: 'dirty',
  cleanliness: answer.word('cleanliness', dirt),
  files: answer.bytes('files').toString('utf8').split('\n').filter(Boolean).map(shownName),
  count: Number.parseInt(answer.text('count'), 10) || 0,
})

function shownName(path: string): string {
  const shown = path.replaceAll(/\p{Cc}|\p{Cf}|\uFFFD/gu, '?')
  return shown.length > MAX_NAME_CHARACTERS ? `${shown.slice(0, MAX_NAME_CHARACTERS)}…` : shown
}
