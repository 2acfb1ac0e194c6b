import type { DoctorCode } from '@fleet/contract'
import { ROOT_FILES, textFile } from '@fleet/shell'
import {
  asked,
  type Check,
  type FamilyChecks,
  type Question,
  readPrinted,
  type Verdict,
} from '#/nodes/api.ts'
import { judgedPools } from '#/php/checks/records.ts'
import type { PhpDeps } from '#/php/deps.ts'
import { type Pool, socketOf } from '#/php/pool.ts'
import { settingsOf } from '#/php/service/pools.ts'
import { type PoolSettings, poolText, UnsafeDirectory } from '#/php/service/text.ts'

/** One pool as a file of the Node has it. */
interface Section {
  readonly version: string
  readonly name: string
  /** Its lines, the first with its name. */
  readonly text: string
}

/** What a Node has of the pools of development. */
interface Found {
  readonly sections: readonly Section[]
  /** Versions whose process manager runs: the role leaves out one that somebody stopped and disabled. */
  readonly running: ReadonlySet<string>
}

/** Each Instance has the pools of its records, its own, as they are rendered now (DRF-045). */
export const makeAssociationChecks = (deps: PhpDeps): FamilyChecks => ({
  family: 'instance',
  checksOf: async (_call, node) => {
    if (!(await deps.network.settings())) return []
    const pools = await judgedPools(deps, node)
    const question = poolsQuestion(deps.root ?? '')
    return instancesOf(pools).flatMap((own) => checksOf(own, settingsOf(node), question))
  },
})

/** The pools of each Instance, Instances by id. */
const instancesOf = (pools: readonly Pool[]): ReadonlyArray<readonly [Pool, ...Pool[]]> =>
  [...Map.groupBy(pools, ({ instance }) => instance.id)]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([, [first, ...rest]]) => (first ? [[first, ...rest] as const] : []))

function checksOf(
  own: readonly [Pool, ...Pool[]],
  settings: PoolSettings,
  question: Question<Found>,
): readonly Check[] {
  const { id, name } = own[0].instance
  const check = (code: DoctorCode, judge: (pool: Pool, found: Found) => Verdict): Check =>
    asked(code, { type: 'instance', id, name }, question, (found) =>
      own.map((pool) => judge(pool, found)).find((verdict) => verdict !== undefined),
    )
  return [
    check('instance.php_fpm_association_missing', (pool, { sections, running }) => {
      if (!sectionOf(pool, sections)) return { expected: 'a pool', observed: 'none' }
      return running.has(pool.version) ? undefined : { expected: 'a running service', observed: 'stopped' }
    }),
    check('instance.php_fpm_association_shared', (pool, { sections }) => {
      const shared = sections.some((section) => section.name !== pool.name && listensOn(section, pool))
      return shared ? { expected: 'its own pool', observed: 'shared' } : undefined
    }),
    check('instance.php_fpm_projection_mismatch', (pool, { sections }) => {
      const section = sectionOf(pool, sections)
      if (!section || section.text === expectedText(pool, settings)) return undefined
      return { expected: 'the recorded pool', observed: 'another configuration' }
    }),
  ]
}

const sectionOf = ({ name, version }: Pool, sections: readonly Section[]): Section | undefined =>
  sections.find((section) => section.name === name && section.version === version)

const listensOn = ({ text }: Section, pool: Pool): boolean =>
  text.split('\n').includes(`listen = ${socketOf(pool)}`)

function expectedText(pool: Pool, settings: PoolSettings): string | undefined {
  try {
    return poolText(pool, settings).trim()
  } catch (error) {
    if (error instanceof UnsafeDirectory) return undefined
    throw error
  }
}

const poolsQuestion = (root: string): Question<Found> => ({
  source: [ROOT_FILES, textFile('sections.sh', import.meta.url)].join('\n'),
  args: [root],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      answer.word('end', ['yes'])
      const versions = answer.names().flatMap((field) => /^pools\.(\d+\.\d+)$/.exec(field)?.[1] ?? [])
      return {
        sections: versions.flatMap((version) => sectionsIn(version, answer.text(`pools.${version}`))),
        running: new Set(versions.filter((version) => answer.has(`running.${version}`))),
      }
    }),
})

const sectionsIn = (version: string, text: string): readonly Section[] =>
  text.split(/^(?=\[)/m).flatMap((part) => {
    const name = /^\[([^\]]+)\]/.exec(part)?.[1]
    return name === undefined || name === 'global' ? [] : [{ version, name, text: part.trim() }]
  })
