import { ROOT_FILES, textFile } from '@fleet/shell'
import { asked, type FamilyChecks, type Question, readPrinted } from '#/nodes/api.ts'
import { judgedPools, judgedServices } from '#/php/checks/records.ts'
import type { PhpDeps } from '#/php/deps.ts'
import type { Pool } from '#/php/pool.ts'
import { productionPools } from '#/php/production/service-record.ts'

/** The first active one of these carries the finding (DRF-038). */
const SERVING = ['app-dev', 'app-prod'] as const

/** Whether the directory of every pool exists. */
export const makeDirectoryChecks = (deps: PhpDeps): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, node) => {
    if (!(await deps.network.settings())) return []
    const role = SERVING.find((name) => node.activeRoles.includes(name))
    const holder = role && (await deps.holders.of(role)).find((held) => held.node.id === node.id)
    const services = await judgedServices(deps, node)
    const pools = [...(await judgedPools(deps, node)), ...services.flatMap(productionPools)]
    if (!holder || pools.length === 0) return []
    return [
      asked(
        'role.php_pool_directory_missing',
        { type: 'role', id: holder.id, name: role },
        missingDirectories(deps.root ?? '', pools),
        ({ length }) =>
          length === 0
            ? undefined
            : { expected: `${pools.length} directories`, observed: `${length} missing` },
      ),
    ]
  },
})

const missingDirectories = (
  root: string,
  pools: ReadonlyArray<Pick<Pool, 'name' | 'directory'>>,
): Question<readonly string[]> => ({
  source: [ROOT_FILES, textFile('directories.sh', import.meta.url)].join('\n'),
  args: [root, ...pools.flatMap(({ name, directory }) => [name, directory])],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      answer.word('end', ['yes'])
      const known = new Set(pools.map(({ name }) => name))
      return answer
        .text('missing')
        .split('\n')
        .filter((name) => known.has(name))
    }),
})
