import { type Answer, textFile } from '@fleet/shell'

/** Words of `not_checked_out`, with which every script that brings a checkout to another commit may end. */
export const checkingOutWords = ['in-the-way', 'failed', 'storage-full', 'storage-read-only'] as const

/** The other commit has this path, and in the checkout something is there that Git does not have. */
export interface InTheWay {
  readonly word: 'in-the-way'
  /** Repository-relative, in printable ASCII. */
  readonly path: string
}

export const inTheWay = (answer: Answer): InTheWay => ({ word: 'in-the-way', path: answer.text('path') })

/** What scripts that bring a checkout to another commit have in common. */
export const CHECKING_OUT = textFile('checking-out.sh', import.meta.url)
