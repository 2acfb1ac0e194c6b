import { type Answer, MalformedOutput, programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'
import type { PhpSource } from '#/php/php.ts'
import type { AvailablePhp } from '#/php/version.ts'

/** A `composer.json` beyond this is not read. */
const MANIFEST_MAX_BYTES = 1024 * 1024
/** The other fields of the answer. */
const ANSWER_BYTES = 64 * 1024

export interface FoundPhp {
  readonly available: readonly AvailablePhp[]
  /** Text of composer.json; undefined without one. */
  readonly manifest: string | undefined
}

/** What the source says of PHP, and what the package manager has of it: nothing for a source without a manifest. Refuses a manifest that is a link or too large. */
export const findPhp: NodeScript<PhpSource, FoundPhp> = {
  source: programOf(textFile('find-php.sh', import.meta.url), START),
  as: 'login',
  args: ({ checkoutPath, directory }) => [checkoutPath, directory, MANIFEST_MAX_BYTES],
  timeoutSeconds: 60,
  maxOutputBytes: MANIFEST_MAX_BYTES + ANSWER_BYTES,
  reasons: { unsafe: { code: 'app-dev.source_metadata_unsafe', details: { file: 'composer.json' } } },
  broken: 'app-dev.php_package_source_unavailable',
  read: (answer) => {
    answer.word('end', ['yes'])
    return { available: availableIn(answer), manifest: manifestIn(answer) }
  },
}

const availableIn = (answer: Answer): readonly AvailablePhp[] =>
  answer
    .text('available')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      // Debian's version: an epoch before the release, a revision behind it.
      const [, version, release] = /^(\d+\.\d+) (?:\d+:)?(\d+\.\d+(?:\.\d+)?)/.exec(line) ?? []
      if (version === undefined || release === undefined) throw new MalformedOutput('not a version')
      return { version, release }
    })

const manifestIn = (answer: Answer): string | undefined =>
  answer.word('manifest', ['absent', 'file']) === 'file' ? answer.get('text')?.toString('utf8') : undefined
