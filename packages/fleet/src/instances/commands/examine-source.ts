import { type Answer, textFile } from '@fleet/shell'
import type { EntryKind, SourceEvidence } from '#/instances/profile.ts'
import { type CheckoutPlace, checkoutScript, directoryWords } from './checkout-script.ts'

/** A `composer.json` beyond this is not read. */
export const MANIFEST_MAX_BYTES = 1024 * 1024
/** The other fields of the answer. */
const ANSWER_BYTES = 1024

/** Walks into a repository-relative directory without following links. */
export const DESCEND = textFile('descend.sh', import.meta.url)

const words = ['examined', 'unsafe-directory', ...directoryWords] as const

export type ExaminedSource =
  | { readonly word: 'examined'; readonly evidence: SourceEvidence }
  | { readonly word: Exclude<(typeof words)[number], 'examined'> }

/**
 * Determines what kind of entry each framework marker is, and reads `composer.json`, all below the application
 * directory (PRJ-020).
 */
export const examineSource = checkoutScript<
  CheckoutPlace & { readonly applicationDirectory: string },
  ExaminedSource
>(textFile('examine-source.sh', import.meta.url), [DESCEND], {
  args: ({ applicationDirectory }) => [applicationDirectory, MANIFEST_MAX_BYTES],
  maxOutputBytes: MANIFEST_MAX_BYTES + ANSWER_BYTES,
  read: (answer) => {
    const word = answer.word('answer', words)
    return word === 'examined' ? { word, evidence: evidenceIn(answer) } : { word }
  },
})

const KINDS: readonly EntryKind[] = ['absent', 'file', 'large', 'other']

const evidenceIn = (answer: Answer): SourceEvidence => ({
  artisan: answer.word('artisan', KINDS),
  console: answer.word('console', KINDS),
  composer: answer.word('composer', KINDS),
  // Bytes of somebody's file: what is no UTF-8 is for the reader of the manifest to refuse.
  manifest: answer.get('manifest')?.toString('utf8') ?? '',
})
