import type { CommandResult } from '@fleet/ssh'
import { fields, MalformedOutput, textField } from '@fleet/shell'

/** Why a script would not go on, each with the code and the text of the answer. The old file is as it was. */
export const REASONS = {
  user_mismatch: ['env.source_unsafe', 'Commands on the Node run as another user than recorded.'],
  directory_missing: [
    'env.source_unsafe',
    'The application directory of the Instance does not exist on the Node.',
  ],
  directory_link: [
    'env.source_unsafe',
    'The application directory of the Instance is reached through a symbolic link.',
  ],
  link: ['env.source_unsafe', 'The .env file on the Node is a symbolic link.'],
  directory: ['env.source_unsafe', 'A directory stands in the place of the .env file on the Node.'],
  not_regular: ['env.source_unsafe', 'The .env file on the Node is no regular file.'],
  foreign_owner: ['env.source_unsafe', 'The .env file on the Node belongs to another user.'],
  unreadable: ['env.source_unsafe', 'The .env file on the Node cannot be read by its owner.'],
  too_large: ['env.source_unsafe', 'The .env file on the Node is larger than 1 MiB.'],
  directory_not_writable: [
    'env.write_failed',
    'The directory of the .env file is not writable on the Node; the old file is as it was.',
  ],
  storage_read_only: [
    'env.write_failed',
    'The storage of the Node is read-only there; the old .env file is as it was.',
  ],
  storage_full: [
    'env.write_failed',
    'The storage of the Node has no space left; the old .env file is as it was.',
  ],
  write_failed: ['env.write_failed', 'The Node could not write the .env file; the old file is as it was.'],
  content_incomplete: [
    'env.write_failed',
    'The content did not arrive whole on the Node; the old .env file is as it was.',
  ],
  digest_missing: ['node.capability_missing', 'The Node has none of sha256sum, shasum and openssl.'],
  file_changed: [
    'env.sync_unconfirmed',
    'The .env file changed during the synchronization, so it was not replaced. Repeat the request.',
  ],
  not_confirmed: [
    'env.sync_unconfirmed',
    'Another .env file stands on the Node than the one just written. Repeat the request.',
  ],
} as const

export type Reason = keyof typeof REASONS

export interface Refused {
  readonly kind: 'refused'
  readonly reason: Reason
}

export type Inspection =
  | Refused
  | { readonly kind: 'missing' }
  /** `isPrivate`: the mode is 0600 and no access list widens it. */
  | { readonly kind: 'file'; readonly isPrivate: boolean; readonly content: Buffer }

export type Written = Refused | { readonly kind: 'written' }

/** Throws MalformedOutput when the script broke or something else answered. */
export function readInspection(result: CommandResult): Inspection {
  const answer = answerOf(result)
  const refused = refusalIn(answer)
  if (refused) return refused
  const file = textField(answer, 'file')
  if (file === 'missing') return { kind: 'missing' }
  const content = answer.get('content')
  if (!content || (file !== 'private' && file !== 'shared')) throw new MalformedOutput('not an inspection')
  return { kind: 'file', isPrivate: file === 'private', content }
}

/** Throws MalformedOutput when the script broke, so that the outcome is not known. */
export function readWritten(result: CommandResult): Written {
  const answer = answerOf(result)
  const refused = refusalIn(answer)
  if (refused) return refused
  if (textField(answer, 'written') !== 'yes') throw new MalformedOutput('not the end of a write')
  return { kind: 'written' }
}

const answerOf = (result: CommandResult): ReadonlyMap<string, Buffer> => {
  if (result.exitCode !== 0) throw new MalformedOutput('the script ended with an error')
  return fields(result.stdout)
}

const refusalIn = (answer: ReadonlyMap<string, Buffer>): Refused | undefined => {
  if (!answer.has('refused')) return undefined
  const reason = textField(answer, 'refused')
  if (!isReason(reason)) throw new MalformedOutput('an unknown reason')
  return { kind: 'refused', reason }
}

const isReason = (text: string): text is Reason => Object.hasOwn(REASONS, text)
