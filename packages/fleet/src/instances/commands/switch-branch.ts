import { textFile } from '@fleet/shell'
import { type GitReason, gitReason } from '#/projects/api.ts'
import { type Blocked, blockedBy, CHECKING_OUT, checkingOutWords } from './checking-out.ts'
import { type CheckoutPlace, directoryWords, remoteScript, type WithLogin } from './checkout-script.ts'
import { candidatePatterns, environmentFile, SOURCE_STATE } from './source-state.ts'

const words = [
  'switched',
  'branch',
  'branch-missing',
  'fetch-failed',
  'dirty',
  'git-missing',
  ...checkingOutWords,
  ...directoryWords,
] as const
type Word = (typeof words)[number]

export interface BranchSwitch extends CheckoutPlace, WithLogin {
  readonly from: string
  readonly to: string
  /** Deletes the branch that was left, when the origin has all of its commits. */
  readonly drops: boolean
  /** Repository-relative; its `.env` never counts as work. */
  readonly applicationDirectory: string
}

export type SwitchedBranch =
  | { readonly word: 'switched'; readonly commit: string }
  | Blocked
  | { readonly word: 'fetch-failed'; readonly gitReason: GitReason | undefined }
  | { readonly word: Exclude<Word, 'switched' | 'fetch-failed' | Blocked['word']> }

/** Checks another branch out where no work could be lost: that of the checkout, else that of the origin. May be repeated. */
export const switchBranch = remoteScript<BranchSwitch, SwitchedBranch>(
  textFile('switch-branch.sh', import.meta.url),
  [SOURCE_STATE, CHECKING_OUT],
  {
    args: ({ from, to, drops, applicationDirectory }) => [
      from,
      to,
      drops ? 'drop' : '',
      environmentFile(applicationDirectory),
      candidatePatterns(applicationDirectory),
    ],
    read: (answer) => {
      const word = answer.word('answer', words)
      if (word === 'fetch-failed') return { word, gitReason: gitReason(answer.text('complaint')) }
      if (word === 'in-the-way' || word === 'locked') return blockedBy(word, answer)
      return word === 'switched' ? { word, commit: answer.text('commit') } : { word }
    },
  },
)
