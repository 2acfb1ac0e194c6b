import { type Answer, textFile } from '@fleet/shell'
import { ADOPTION, IGNORE, REHOMING } from './prepare-checkout.ts'
import {
  arrivalWords,
  type CheckoutPlace,
  checkoutScript,
  directoryWords,
  type Outcome,
  outcome,
} from './checkout-script.ts'
import { excludeLines } from './source-state.ts'

export interface AdoptedPlace extends CheckoutPlace {
  /** Where the checkout was before it was registered. */
  readonly sourcePath: string
}

/** One whose environment files and links name the place where it is. */
interface NamedPlace extends AdoptedPlace {
  readonly applicationDirectory: string
}

interface Adoption extends NamedPlace {
  /** Of a linked worktree: the checkout that it belongs to. */
  readonly mainPath?: string | undefined
}

const COPY = textFile('copy-source.sh', import.meta.url)

const words = ['adopted', 'absent', 'holds-managed', ...arrivalWords] as const

export type Adopted =
  | { readonly word: 'adopted'; readonly isCopy: boolean; readonly head: string; readonly commit: string }
  | { readonly word: Exclude<(typeof words)[number], 'adopted'> }

/**
 * Moves a checkout to its managed path with a receipt of its own in it. On another file system it is copied and compared, and
 * the first one stays until `releaseSource`. Linked worktrees are repaired, and links and environment files name the new place. May be repeated wherever it was cut off.
 */
export const adoptSource = checkoutScript<Adoption, Adopted>(
  textFile('adopt-source.sh', import.meta.url),
  [ADOPTION, IGNORE, COPY, ...REHOMING],
  {
    isLong: true,
    args: ({ sourcePath, applicationDirectory, mainPath = '' }) => [
      sourcePath,
      excludeLines(applicationDirectory),
      mainPath,
      applicationDirectory,
    ],
    read: (answer) => {
      const word = answer.word('answer', words)
      return word === 'adopted' ? { word, ...adoptedIn(answer) } : { word }
    },
  },
)

const adoptedIn = (answer: Answer) => ({
  isCopy: answer.flag('copied'),
  head: answer.text('head'),
  commit: answer.text('commit'),
})

const returnWords = ['returned', 'occupied', 'absent', 'failed', ...directoryWords] as const

/**
 * Puts an adopted checkout back to where it was, without the receipt. A copy is deleted only while
 * the directory that it was made from is there; whatever else is there stays, and so does the checkout. One that is
 * in neither place is `absent`.
 */
export const returnSource = checkoutScript<NamedPlace, Outcome<(typeof returnWords)[number]>>(
  textFile('return-source.sh', import.meta.url),
  [ADOPTION, ...REHOMING],
  {
    isLong: true,
    args: ({ sourcePath, applicationDirectory }) => [sourcePath, applicationDirectory],
    read: outcome(returnWords),
  },
)

const releaseWords = ['released', 'changed', 'failed', ...directoryWords] as const

/** Deletes the checkout that was copied, unless somebody changed it since. */
export const releaseSource = checkoutScript<AdoptedPlace, Outcome<(typeof releaseWords)[number]>>(
  textFile('release-source.sh', import.meta.url),
  [ADOPTION, COPY],
  { isLong: true, args: ({ sourcePath }) => [sourcePath], read: outcome(releaseWords) },
)
