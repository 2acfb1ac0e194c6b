import { type Answer, textFile } from '@fleet/shell'
import { CHECKING_OUT } from './checking-out.ts'
import { type CheckoutPlace, directoryWords, remoteScript, type WithLogin } from './checkout-script.ts'
import { candidatePatterns, environmentFile, SOURCE_STATE } from './source-state.ts'

export interface InspectRequest extends CheckoutPlace, WithLogin {
  /** Repository-relative; the `.env` file in it never counts as work. Empty for the root. */
  readonly applicationDirectory: string
  /** As recorded. Default: a checkout. */
  readonly layout?: 'checkout' | 'worktree'
  /** Whether the origin is asked which commits it holds: those of everything that goes with a removal, or of HEAD. */
  readonly asked: 'ask' | 'skip' | 'head'
  /** Writes the source's identity beside the receipt under this removal (source_preparation); nothing when absent. */
  readonly recordFor?: string | undefined
}

const words = ['inspected', 'absent', 'no-checkout', 'layout', 'record-failed', ...directoryWords] as const
export type Unseen = Exclude<(typeof words)[number], 'inspected'>

export interface SourceFacts {
  /** URL of the origin. */
  readonly origin: string
  /** Reference of HEAD. */
  readonly head: string
  readonly cleanliness: 'clean' | 'dirty' | 'stashed' | 'unreadable'
  readonly asked: 'asked' | 'silent' | 'skipped'
  /** A commit that was asked about is on no branch or tag of the origin. */
  readonly lost: boolean
  /** Linked ones. */
  readonly worktrees: number
  /** Directories of some of them. */
  readonly links: readonly string[]
  /** Paths in it of some repositories that have work of their own; only where the origin is asked about a removal. */
  readonly nested: readonly string[]
  /** Digest of all local heads, or of HEAD. */
  readonly heads: string
  /** Path of a folder in it that is another account's and cannot be deleted; empty without one. */
  readonly kept: string
}

export type InspectedSource =
  | { readonly word: 'inspected'; readonly facts: SourceFacts }
  | { readonly word: Unseen }

/** Looks at a source before its removal. */
export const inspectSource = remoteScript<InspectRequest, InspectedSource>(
  textFile('inspect-source.sh', import.meta.url),
  [SOURCE_STATE, CHECKING_OUT, textFile('nested-work.sh', import.meta.url)],
  {
    args: ({ asked, recordFor = '', applicationDirectory, layout = 'checkout' }) => [
      asked,
      recordFor,
      environmentFile(applicationDirectory),
      candidatePatterns(applicationDirectory),
      layout,
    ],
    read: (answer) => {
      const word = answer.word('answer', words)
      return word === 'inspected' ? { word, facts: factsIn(answer) } : { word }
    },
  },
)

const factsIn = (answer: Answer): SourceFacts => ({
  origin: answer.text('origin'),
  head: answer.text('head'),
  cleanliness: answer.word('cleanliness', ['clean', 'dirty', 'stashed', 'unreadable']),
  asked: answer.word('asked', ['asked', 'silent', 'skipped']),
  lost: answer.flag('lost'),
  worktrees: Number(answer.text('worktrees')),
  links: answer.text('links').split('\n').filter(Boolean),
  nested: answer.text('nested').split('\n').filter(Boolean),
  heads: answer.text('heads'),
  kept: answer.text('kept'),
})
