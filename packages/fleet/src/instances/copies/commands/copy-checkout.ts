import { textFile } from '@fleet/shell'
import { type GitReason, gitReason } from '#/projects/api.ts'
import {
  arrivalWords,
  type CheckoutPlace,
  checkoutScript,
  directoryWords,
  remoteScript,
  type WithLogin,
} from '#/instances/commands/checkout-script.ts'
import { type Blocked, blockedBy, CHECKING_OUT, checkingOutWords } from '#/instances/commands/checking-out.ts'
import { ADOPTION, NAMING } from '#/instances/commands/prepare-checkout.ts'
import { candidatePatterns, environmentFile, SOURCE_STATE } from '#/instances/commands/source-state.ts'

/** A checkout that is copied. */
export interface CopiedPlace extends CheckoutPlace {
  /** That it is recorded on. */
  readonly branch: string
  /** Repository-relative; its `.env` never counts as work. */
  readonly applicationDirectory: string
}

const examineWords = [
  'copyable',
  'absent',
  'layout',
  'branch',
  'dirty',
  'git-missing',
  ...directoryWords,
] as const
type ExamineWord = (typeof examineWords)[number]

export type ExaminedCopied =
  | { readonly word: 'copyable'; readonly origin: string; readonly heads: string }
  | { readonly word: 'dirty'; readonly cleanliness: string }
  | { readonly word: Exclude<ExamineWord, 'copyable' | 'dirty'> }

/** Whether the checkout can be copied as it is. Changes nothing but what an update that was cut off has left. */
export const examineCopied = remoteScript<CopiedPlace & WithLogin, ExaminedCopied>(
  textFile('examine-copied.sh', import.meta.url),
  [SOURCE_STATE, CHECKING_OUT],
  {
    args: ({ branch, applicationDirectory: directory }) => [
      branch,
      environmentFile(directory),
      candidatePatterns(directory),
    ],
    read: (answer) => {
      const word = answer.word('answer', examineWords)
      if (word === 'copyable') return { word, origin: answer.text('origin'), heads: answer.text('heads') }
      return word === 'dirty' ? { word, cleanliness: answer.text('cleanliness') } : { word }
    },
  },
)

export interface CopyRequest extends CheckoutPlace {
  readonly source: CopiedPlace
  /** Of the source, when it was examined. */
  readonly heads: string
}

const copyWords = ['copied', ...arrivalWords] as const

export type CopiedCheckout =
  | { readonly word: 'copied'; readonly mode: 'reflink' | 'full' }
  | { readonly word: Exclude<(typeof copyWords)[number], 'copied'> }

/**
 * Copies a checkout of the same machine beside the checkout path, with a receipt of its own, and gives it its name when it is what was
 * examined. Blocks are shared where the file system can. What an earlier attempt finished is found again.
 */
export const copyCheckout = checkoutScript<CopyRequest, CopiedCheckout>(
  textFile('copy-checkout.sh', import.meta.url),
  [ADOPTION, SOURCE_STATE],
  {
    isLong: true,
    args: ({ source, heads }) => [
      source.checkoutPath,
      source.preparationId,
      heads,
      environmentFile(source.applicationDirectory),
      candidatePatterns(source.applicationDirectory),
    ],
    read: (answer) => {
      const word = answer.word('answer', copyWords)
      return word === 'copied' ? { word, mode: answer.word('mode', ['reflink', 'full']) } : { word }
    },
  },
)

export interface SettleRequest extends CheckoutPlace, WithLogin {
  readonly branch: string
  readonly applicationDirectory: string
  /** The checkout that it was copied from. */
  readonly sourcePath: string
  /** Domains of both; undefined where one has none. */
  readonly domains: { readonly from: string; readonly to: string } | undefined
}

const settleWords = [
  'settled',
  'branch-invalid',
  'fetch-failed',
  'diverged',
  'git-missing',
  ...checkingOutWords,
  ...directoryWords,
] as const

export type SettledCopy =
  /** Repository-relative paths of SQLite files that Git does not have. */
  | { readonly word: 'settled'; readonly commit: string; readonly databases: readonly string[] }
  | { readonly word: 'fetch-failed'; readonly gitReason: GitReason | undefined }
  | Blocked
  | { readonly word: Exclude<(typeof settleWords)[number], 'settled' | 'fetch-failed' | Blocked['word']> }

/**
 * Makes a copied checkout one of its own: its branch, no caches and logs, and links and environment files that name it and not the
 * source. May be repeated.
 */
export const settleCopy = remoteScript<SettleRequest, SettledCopy>(
  textFile('settle-copy.sh', import.meta.url),
  [CHECKING_OUT, NAMING],
  {
    args: ({ branch, applicationDirectory, sourcePath, domains }) => [
      branch,
      applicationDirectory,
      sourcePath,
      domains?.from ?? '',
      domains?.to ?? '',
    ],
    read: (answer) => {
      const word = answer.word('answer', settleWords)
      if (word === 'settled')
        return {
          word,
          commit: answer.text('commit'),
          databases: answer.text('databases').split('\n').filter(Boolean),
        }
      if (word === 'in-the-way' || word === 'locked') return blockedBy(word, answer)
      return word === 'fetch-failed' ? { word, gitReason: gitReason(answer.text('complaint')) } : { word }
    },
  },
)
