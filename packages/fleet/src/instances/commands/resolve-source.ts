import { type Answer, textFile } from '@fleet/shell'
import { type GitReason, gitReason } from '#/projects/api.ts'
import { type CheckoutPlace, directoryWords, remoteScript, type WithLogin } from './checkout-script.ts'
import { SEED } from './discard-checkout.ts'
import { IGNORE } from './prepare-checkout.ts'
import { excludeLines } from './source-state.ts'

export interface SourceRequest extends CheckoutPlace, WithLogin {
  readonly repositoryUrl: string
  readonly branch: string
  /** Its commit starts a branch that exists nowhere yet. */
  readonly defaultBranch: string
  /** Repository-relative; the `.env` file in it is the fleet's own and never counts as work. Empty for the root. */
  readonly applicationDirectory: string
  /** A checkout beside this one of the same preparation: what it has of the repository is not fetched again. */
  readonly earlier?: string | undefined
  /** Nothing is claimed of the checkout before all of it is flushed by another command: the answer does not wait for the disk. */
  readonly isFlushedLater?: boolean
}

const words = [
  'resolved',
  'branch-invalid',
  'branch-missing',
  'source-empty',
  'source-shallow',
  'fetch-failed',
  'checkout-failed',
  'lfs-failed',
  'lfs-missing',
  'storage-full',
  'storage-read-only',
  'git-missing',
  ...directoryWords,
] as const

export type ResolvedSource =
  /** Submodules stay empty directories (decision 0133). */
  | { readonly word: 'resolved'; readonly commit: string; readonly submodules: number }
  | { readonly word: 'fetch-failed'; readonly gitReason: GitReason | undefined }
  | { readonly word: Exclude<(typeof words)[number], 'resolved' | 'fetch-failed'> }

const CHECKED_OUT = textFile('checked-out.sh', import.meta.url)

function readResolved(answer: Answer): ResolvedSource {
  const word = answer.word('answer', words)
  if (word === 'resolved')
    return { word, commit: answer.text('commit'), submodules: Number(answer.text('submodules')) }
  // Of Git's complaint only its kind is kept: it may hold what the remote chose to say.
  return word === 'fetch-failed' ? { word, gitReason: gitReason(answer.text('complaint')) } : { word }
}

/**
 * Fetches the origin and checks the branch out: the origin's, else the local one, else a new one from the default branch
 * (INS-046 to INS-048). Whatever an interrupted run left is overwritten: before `source_resolved` the directory holds
 * nobody's work.
 */
export const resolveSource = remoteScript<SourceRequest, ResolvedSource>(
  textFile('resolve-source.sh', import.meta.url),
  [CHECKED_OUT],
  {
    args: ({ repositoryUrl, branch, defaultBranch, applicationDirectory, earlier = '', isFlushedLater }) => [
      repositoryUrl,
      branch,
      defaultBranch,
      excludeLines(applicationDirectory),
      earlier,
      isFlushedLater === true ? 'later' : 'now',
    ],
    read: readResolved,
  },
)

export interface WorktreeRequest extends Omit<
  SourceRequest,
  'repositoryUrl' | 'defaultBranch' | 'earlier' | 'isFlushedLater'
> {
  /** Starts a branch that exists nowhere yet. */
  readonly start: string
}

/** The same in a linked worktree: only its branch is fetched, and other references of the repository stay as they are. */
export const resolveWorktree = remoteScript<WorktreeRequest, ResolvedSource>(
  textFile('resolve-worktree.sh', import.meta.url),
  [IGNORE, SEED, CHECKED_OUT],
  {
    args: ({ branch, start, applicationDirectory }) => [branch, start, excludeLines(applicationDirectory)],
    read: readResolved,
  },
)
