import { type Answer, programOf, textFile } from '@fleet/shell'
import { common, type EnvironmentPlace, LIBRARIES, placeWords } from '#/environment/commands/place.ts'
import { INSPECT_REASONS } from '#/environment/commands/reasons.ts'
import { ENVIRONMENT_LIMITS } from '#/environment/format/index.ts'
import type { NodeScript } from '#/nodes/api.ts'

export type FoundFile =
  | { readonly kind: 'missing' }
  /** `isPrivate`: the mode is 0600 and no access list widens it. */
  | { readonly kind: 'file'; readonly isPrivate: boolean; readonly content: Buffer }

interface Inspection {
  readonly place: EnvironmentPlace
}

const BYTES_PER_BLOCK = 1024
const SOURCE = programOf(textFile('inspect-file.sh', import.meta.url), ...LIBRARIES)

/** Checks user, path, type, owner and size of the `.env` file and prints it, for import (ENV-027). */
export const readFile: NodeScript<Inspection, FoundFile> = {
  ...common,
  source: SOURCE.replace('# check', '# read'),
  args: ({ place }) => [...placeWords(place), ENVIRONMENT_LIMITS.fileBytes, 'read', 0],
  reasons: {
    ...INSPECT_REASONS,
    too_large: { code: 'env.configuration_invalid', details: { rule: 'file_size' } },
  },
  broken: 'node.command_failed',
  read: foundFile,
}

/**
 * The same, and before it whether a file of at most `bytes` bytes can be written in its place: directory permission,
 * read-only storage, free space (ENV-043). One round trip, and all of it before anything is decrypted.
 */
export const inspectFile: NodeScript<Inspection & { readonly bytes: number }, FoundFile> = {
  ...common,
  source: SOURCE,
  args: ({ place, bytes }) => [
    ...placeWords(place),
    ENVIRONMENT_LIMITS.fileBytes,
    'replace',
    Math.ceil(bytes / BYTES_PER_BLOCK),
  ],
  reasons: INSPECT_REASONS,
  broken: 'node.command_failed',
  read: foundFile,
}

function foundFile(answer: Answer): FoundFile {
  const file = answer.word('file', ['missing', 'private', 'shared'])
  return file === 'missing'
    ? { kind: file }
    : { kind: 'file', isPrivate: file === 'private', content: answer.bytes('content') }
}
