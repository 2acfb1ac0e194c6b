import { createHash } from 'node:crypto'
import { SOURCE_FILES, type SourceFile } from '@fleet/lockfiles'
import { type Answer, programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

/** Where the files of an Instance are. Derived from its record, never from a request. */
export interface SourcePlace {
  /** User that the files belong to, and as whom they are read. */
  readonly user: string
  /** Absolute path of the directory; no component of it may be a link. */
  readonly directory: string
}

/** Why a file that exists is not read. */
export type FileProblem = 'link' | 'irregular' | 'foreign' | 'unreadable'

export type CollectedFile =
  | { readonly kind: 'content'; readonly bytes: Buffer; readonly digest: string }
  /** Larger than the limit of its name. */
  | { readonly kind: 'large' }
  /** Only its existence matters. */
  | { readonly kind: 'present' }
  | { readonly kind: FileProblem }

/** Found files by name. `isChanged`: the two readings differ (DEX-033). */
export interface Collection {
  readonly isChanged: boolean
  readonly files: ReadonlyMap<string, CollectedFile>
}

/** Bounds of one collection (DEX-029, DEX-030). */
export const COLLECTION_LIMITS = {
  timeoutSeconds: 30,
  maxOutputBytes: 48 * 1024 * 1024,
  filesMaxBytes: 32 * 1024 * 1024,
} as const

const unavailable = (message: string) => ['dependencies.source_unavailable', message] as const

/** Reads every manifest and lock file of a directory twice, in one round trip (DEX-032, DEX-033). */
export const collectFiles: NodeScript<SourcePlace, Collection> = {
  source: programOf(textFile('collect-files.sh', import.meta.url), START),
  as: 'login',
  args: ({ user, directory }) => [
    user,
    directory,
    COLLECTION_LIMITS.filesMaxBytes,
    ...SOURCE_FILES.flatMap(({ name, maxBytes }) => [name, maxBytes]),
  ],
  shown: ({ user, directory }) => [user, directory],
  timeoutSeconds: COLLECTION_LIMITS.timeoutSeconds,
  maxOutputBytes: COLLECTION_LIMITS.maxOutputBytes,
  reasons: {
    user_mismatch: unavailable('Commands on the Node run as a different user from the recorded one.'),
    directory_missing: unavailable('The application directory does not exist on the Node.'),
    directory_link: unavailable('The path of the application directory contains a symbolic link.'),
    directory_owner: unavailable('The application directory belongs to another user.'),
    files_too_large: unavailable('All files together are larger than their limit of 32 MiB.'),
    directory_changed: 'dependencies.source_changed',
    digest_missing: ['node.capability_missing', 'The Node has neither sha256sum nor shasum nor openssl.'],
  },
  broken: 'node.command_failed',
  read: (answer) => {
    const readings = SOURCE_FILES.map((file) => readingOf(answer, file))
    return {
      isChanged: readings.some(({ isChanged }) => isChanged),
      files: new Map(readings.flatMap(({ name, file }) => (file ? [[name, file] as const] : []))),
    }
  },
}

interface FileReading {
  readonly name: string
  readonly file: CollectedFile | undefined
  readonly isChanged: boolean
}

const WORDS = ['absent', 'present', 'large', 'link', 'irregular', 'foreign', 'unreadable'] as const

function readingOf(answer: Answer, { name }: SourceFile): FileReading {
  const first = answer.text(`first_${name}`)
  const second = answer.text(`second_${name}`)
  const isChanged = first !== second
  if (!first.startsWith('file ')) {
    const kind = answer.word(`first_${name}`, WORDS)
    return { name, isChanged, file: kind === 'absent' ? undefined : { kind } }
  }
  const bytes = Buffer.from(answer.text(`content_${name}`), 'base64')
  const digest = createHash('sha256').update(bytes).digest('hex')
  const again = second.startsWith('file ') ? answer.text(`digest_${name}`) : undefined
  return { name, isChanged: isChanged || again !== digest, file: { kind: 'content', bytes, digest } }
}
