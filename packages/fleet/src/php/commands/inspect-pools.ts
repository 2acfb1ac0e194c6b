import { type Answer, MalformedOutput, ROOT_FILES, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'
import type { Pool } from '#/php/pool.ts'

export interface PoolsTarget {
  /** Root folder of the Node; empty but in tests. */
  readonly root: string
  readonly pools: readonly Pool[]
}

export interface PoolsFound {
  /** Pools whose directory is missing. */
  readonly missing: readonly Pool[]
  /** Packages to install for the others. */
  readonly absent: readonly string[]
  /** Versions that have a pool file of Fleet's. */
  readonly own: readonly string[]
}

/** What Laravel and Symfony ask of PHP besides its core, and the drivers of the databases that Fleet knows. */
const PARTS = [
  'fpm',
  'bcmath',
  'cli',
  'curl',
  'gd',
  'intl',
  'mbstring',
  'mysql',
  'pgsql',
  'sqlite3',
  'xml',
  'zip',
]

/** What a Node has of the directories and packages of pools. */
export const inspectPools: NodeScript<PoolsTarget, PoolsFound> = {
  source: ['# inspect PHP pools', ROOT_FILES, textFile('inspect-pools.sh', import.meta.url)].join('\n'),
  args: ({ root, pools }) => [
    root,
    PARTS.length,
    ...PARTS,
    ...pools.flatMap(({ name, version, directory }) => [name, version, directory]),
  ],
  timeoutSeconds: 60,
  reasons: {},
  broken: 'app-dev.php_runtime_failed',
  read: (answer, { pools }) => {
    answer.word('end', ['yes'])
    const missing = new Set(linesOf(answer, 'missing', /^[\w-]+$/))
    return {
      missing: pools.filter(({ name }) => missing.has(name)),
      absent: linesOf(answer, 'absent', /^php\d+\.\d+-[a-z0-9]+$/),
      // What somebody keeps beside them, such as a copy of a version, has another name.
      own: answer
        .text('own')
        .split('\n')
        .filter((line) => VERSION.test(line)),
    }
  },
}

const VERSION = /^\d+\.\d+$/

function linesOf(answer: Answer, name: string, form: RegExp): readonly string[] {
  const lines = answer.text(name).split('\n').filter(Boolean)
  if (!lines.every((line) => form.test(line))) throw new MalformedOutput(`not what ${name} has`)
  return lines
}
