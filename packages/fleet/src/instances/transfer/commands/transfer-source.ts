import { type Answer, textFile } from '@fleet/shell'
import {
  type CheckoutPlace,
  checkoutScript,
  directoryWords,
  type Outcome,
  outcome,
  writingWords,
} from '#/instances/commands/checkout-script.ts'
import { REHOMING } from '#/instances/commands/prepare-checkout.ts'

const CONTENT = [textFile('content.sh', import.meta.url)]

const examineWords = [
  'movable',
  'kept',
  'unreadable',
  'has-worktrees',
  'has-alternates',
  'inseparable',
  ...directoryWords,
] as const

export interface ExaminedTransfer extends Outcome<(typeof examineWords)[number]> {
  /** It is proven, and has a repository of its own. */
  readonly isDetached: boolean
  /** Of what is `kept`, a folder of another account, or `unreadable`. */
  readonly path: string | undefined
}

/** Whether everything that the checkout needs is inside it. */
export const examineTransfer = checkoutScript<CheckoutPlace, ExaminedTransfer>(
  textFile('examine-transfer.sh', import.meta.url),
  [],
  {
    read: (answer) => ({
      ...outcome(examineWords)(answer),
      isDetached: answer.get('detached')?.toString() === 'yes',
      path: answer.get('path')?.toString(),
    }),
  },
)

const detachWords = ['detached', 'inseparable', 'changed', 'git-missing', ...writingWords] as const

/** Makes a linked worktree a checkout with a repository of its own. May be repeated wherever it was cut off. */
export const detachWorktree = checkoutScript<CheckoutPlace, Outcome<(typeof detachWords)[number]>>(
  textFile('detach-worktree.sh', import.meta.url),
  [textFile('detachment.sh', import.meta.url)],
  { isLong: true, read: outcome(detachWords) },
)

/** A checkout of which a database is carried by itself. */
export interface ContentPlace extends CheckoutPlace {
  /** Of the database in the checkout; undefined without one. */
  readonly kept?: string | undefined
}

const keptWord = ({ kept = '' }: ContentPlace): readonly string[] => [kept]

/** A digest of names, kinds, modes, links and contents, without the receipt. */
export type Digested<W extends string> =
  | { readonly word: 'digested'; readonly digest: string }
  | { readonly word: W }

const digested =
  <W extends string>(done: string, words: readonly W[]) =>
  (answer: Answer): Digested<W> => {
    if (answer.text('answer') === done) return { word: 'digested', digest: answer.text('digest') }
    return { word: answer.word('answer', words) }
  }

const digestWords = ['failed', ...directoryWords] as const
export const digestSource = checkoutScript<ContentPlace, Digested<(typeof digestWords)[number]>>(
  textFile('digest-source.sh', import.meta.url),
  CONTENT,
  { isLong: true, args: keptWord, read: digested('read', digestWords) },
)

/** Prints an archive and no answer. */
export const sendSource = checkoutScript<ContentPlace, void>(
  textFile('send-source.sh', import.meta.url),
  [],
  {
    isLong: true,
    args: keptWord,
    read: () => undefined,
  },
)

const receiveWords = ['occupied', 'root-unusable', ...writingWords] as const
/** Takes an archive beside the checkout path, and digests what it became. */
export const receiveSource = checkoutScript<ContentPlace, Digested<(typeof receiveWords)[number]>>(
  textFile('receive-source.sh', import.meta.url),
  CONTENT,
  {
    isLong: true,
    args: keptWord,
    payload: () => new Uint8Array(),
    read: digested('received', receiveWords),
  },
)

const settleWords = ['settled', 'occupied', 'failed', ...directoryWords] as const
/** Gives what was received and compared its name; links and environment files name it instead of the place that it came from. */
export const settleSource = checkoutScript<
  CheckoutPlace & { readonly sourcePath: string; readonly applicationDirectory: string },
  Outcome<(typeof settleWords)[number]>
>(textFile('settle-source.sh', import.meta.url), [...CONTENT, ...REHOMING], {
  isLong: true,
  args: ({ sourcePath, applicationDirectory }) => [sourcePath, applicationDirectory],
  read: outcome(settleWords),
})

const deleteWords = ['deleted', 'changed', 'failed', ...directoryWords] as const
export const deleteSource = checkoutScript<
  ContentPlace & { readonly digest: string },
  Outcome<(typeof deleteWords)[number]>
>(textFile('delete-source.sh', import.meta.url), CONTENT, {
  isLong: true,
  args: ({ digest, kept = '' }) => [digest, kept],
  read: outcome(deleteWords),
})
