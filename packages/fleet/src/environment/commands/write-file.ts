import { createHash } from 'node:crypto'
import { Secret } from '@fleet/kernel'
import { programOf, textFile } from '@fleet/shell'
import {
  common,
  type EnvironmentPlace,
  type FileName,
  LIBRARIES,
  placeWords,
} from '#/environment/commands/place.ts'
import { writeReasons } from '#/environment/commands/reasons.ts'
import { confirmed, type NodeScript } from '#/nodes/api.ts'

export interface FileWrite {
  readonly place: EnvironmentPlace
  /** Name part of the candidate file, new for every attempt. */
  readonly attempt: string
  /** What inspection found: the write is refused if something else is there by then. */
  readonly before: Uint8Array | undefined
  readonly content: string
}

/**
 * Writes a candidate of mode 0600 beside the file, proves it, flushes it and renames it over the file (ENV-045).
 * Digests and content travel on standard input: a digest of a short secret in an argument list would reveal it.
 */
export const writeFile = writing('.env')

/** The same for the testing file. */
export const writeTestingFile = writing('.env.testing')

function writing(file: FileName): NodeScript<FileWrite, void> {
  return {
    ...common,
    source: programOf(textFile('write-file.sh', import.meta.url), ...LIBRARIES),
    args: ({ place, attempt }) => [...placeWords(place), `.env.fleet-sync-${attempt}`],
    stdin: ({ before, content }) => {
      const bytes = Buffer.from(content, 'utf8')
      return new Secret(`${before ? sha256(before) : 'missing'} ${sha256(bytes)}\n${content}`)
    },
    reasons: writeReasons(file),
    broken: 'env.sync_unconfirmed',
    read: confirmed('written'),
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
