import { type Answer, textFile } from '@fleet/shell'

/** Words of `is_lfs_missing` and `not_checked_out`, with which every script that brings a checkout to another commit may end. */
export const checkingOutWords = [
  'in-the-way',
  'locked',
  'failed',
  'lfs-failed',
  'lfs-missing',
  'storage-full',
  'storage-read-only',
] as const

/** A file keeps the checkout at its commit, and has to go first. */
export interface Blocked {
  /** The other commit has a file at this path of the checkout, which Git does not have; or the lock of a Git. */
  readonly word: 'in-the-way' | 'locked'
  /** In printable ASCII. */
  readonly path: string
}

export const blockedBy = (word: Blocked['word'], answer: Answer): Blocked => ({
  word,
  path: answer.text('path'),
})

/** Which file it is, and what to do about it. */
export function blockedText(
  { word, path }: Blocked,
  at: { readonly checkoutPath: string; readonly node: string },
  { what, again }: { readonly what: string; readonly again: string },
): string {
  const place = `in the checkout ${at.checkoutPath} on the Node ${at.node}`
  return word === 'locked'
    ? `Git is locked ${place} by \`${path}\`: a Git command is running there, or was cut off. If none is running, delete that file, then ${again}.`
    : `${what} would overwrite \`${path}\` ${place}. Move the file away or delete it, then ${again}.`
}

/** What scripts that bring a checkout to another commit have in common. */
export const CHECKING_OUT = [
  textFile('written.sh', import.meta.url),
  textFile('put-back.sh', import.meta.url),
  textFile('lfs-missing.sh', import.meta.url),
  textFile('checking-out.sh', import.meta.url),
].join('\n')
