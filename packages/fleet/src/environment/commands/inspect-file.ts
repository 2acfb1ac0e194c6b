import { type Answer, programOf, textFile, type Word } from '@fleet/shell'
import { common, type EnvironmentPlace, LIBRARIES, placeWords } from '#/environment/commands/place.ts'
import { inspectReasons } from '#/environment/commands/reasons.ts'
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
  args: ({ place }) => [...placeWords(place), ENVIRONMENT_LIMITS.fileBytes, 'read', 0, ''],
  reasons: {
    ...inspectReasons('.env'),
    too_large: {
      code: 'env.configuration_invalid',
      message: 'The .env file on the Node is larger than 1 MiB.',
      details: { rule: 'file_size' },
    },
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
  args: ({ place, bytes }) => [...replacing(place, bytes), ''],
  reasons: inspectReasons('.env'),
  broken: 'node.command_failed',
  read: foundFile,
}

/** A file that Git has, or of which it cannot say so, is not looked at any further. */
export type FoundTestingFile = FoundFile | { readonly kind: 'tracked' | 'unknown' }

interface TestingInspection extends Inspection {
  readonly bytes: number
  /** Name of the checkout below the root, whose Git is asked; undefined for a file outside of every checkout. */
  readonly checkout: string | undefined
}

/** The same for the testing file, which Git may have (ENV-055). */
export const inspectTestingFile: NodeScript<TestingInspection, FoundTestingFile> = {
  ...common,
  source: SOURCE.replace('environment file', 'testing environment file'),
  args: ({ place, bytes, checkout }) => [...replacing(place, bytes), checkout ?? ''],
  reasons: inspectReasons('.env.testing'),
  broken: 'node.command_failed',
  read: (answer) => {
    if (!answer.has('tracking')) return foundFile(answer)
    const kind = answer.word('tracking', ['tracked', 'untracked', 'unknown'])
    return kind === 'untracked' ? foundFile(answer) : { kind }
  },
}

const replacing = (place: EnvironmentPlace, bytes: number): readonly Word[] => [
  ...placeWords(place),
  ENVIRONMENT_LIMITS.fileBytes,
  'replace',
  Math.ceil(bytes / BYTES_PER_BLOCK),
]

function foundFile(answer: Answer): FoundFile {
  const file = answer.word('file', ['missing', 'private', 'shared'])
  return file === 'missing'
    ? { kind: file }
    : { kind: 'file', isPrivate: file === 'private', content: answer.bytes('content') }
}
