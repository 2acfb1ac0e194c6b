import { textFile } from '@fleet/shell'
import { type GitReason, gitReason } from '#/projects/api.ts'
import { CHECKING_OUT } from './checking-out.ts'
import { type CheckoutPlace, directoryWords, remoteScript, type WithLogin } from './checkout-script.ts'
import { candidatePatterns, environmentFile, SOURCE_STATE } from './source-state.ts'

export interface UpstreamQuestion extends CheckoutPlace, WithLogin {
  /** Of the next origin; undefined where it stays. */
  readonly url: string | undefined
  /** The branch of the next origin that has to have history in common with the checkout. */
  readonly branch: string
  /** Undefined where the branch stays. */
  readonly switching: { readonly from: string; readonly to: string } | undefined
  /** Repository-relative; its `.env` never counts as work. */
  readonly applicationDirectory: string
}

const words = [
  'inspected',
  'common',
  'unrelated',
  'fetch-failed',
  'branch',
  'dirty',
  'storage-full',
  'storage-read-only',
  'git-missing',
  ...directoryWords,
] as const
type Word = (typeof words)[number]

export type FoundUpstream =
  | {
      readonly word: 'inspected'
      /** As its configuration has it, each on a line. */
      readonly origin: string
      readonly hasBranch: boolean
      /** The next branch is checked out. */
      readonly isSwitched: boolean
    }
  | { readonly word: 'fetch-failed'; readonly gitReason: GitReason | undefined }
  | { readonly word: Exclude<Word, 'inspected' | 'fetch-failed'> }

/** Whether a checkout can follow its Project: to a repository with the same history, and to another branch. */
export const inspectUpstream = remoteScript<UpstreamQuestion, FoundUpstream>(
  textFile('inspect-upstream.sh', import.meta.url),
  [SOURCE_STATE, CHECKING_OUT],
  {
    args: ({ url, branch, switching, applicationDirectory }) => [
      url ?? '',
      branch,
      switching?.from ?? '',
      switching?.to ?? '',
      environmentFile(applicationDirectory),
      candidatePatterns(applicationDirectory),
    ],
    read: (answer) => {
      const word = answer.word('answer', words)
      if (word === 'inspected')
        return {
          word,
          origin: answer.text('origin'),
          hasBranch: answer.text('heads') !== '',
          isSwitched: answer.flag('switched'),
        }
      return word === 'fetch-failed' ? { word, gitReason: gitReason(answer.text('complaint')) } : { word }
    },
  },
)
