import { isObject, type Json, objectsIn } from '#/print/value.ts'
import { type ListView, wholeList } from './view.ts'

/** Processes and Schedules with their owners by name, as names take them: `web-1`, `shop/default`. */
export const ownedList: ListView = {
  also: () => ['node:list', 'instance:list'].map(wholeList),
  rows: (rows, [nodes, instances]) => {
    const owners = new Map([
      ...objectsIn(nodes).map((node) => [`node ${String(node['id'])}`, node['name']] as const),
      ...objectsIn(instances).map((one) => [`instance ${String(one['id'])}`, instanceName(one)] as const),
    ])
    return rows.map((row) => ({
      ...row,
      owner: ownerOf(row, owners),
      ...('cpu' in row ? { cpu: percentOf(row['cpu']), memory: mebibytesOf(row['memory_bytes']) } : {}),
    }))
  },
}

const instanceName = ({ project, name }: Json): string | undefined =>
  isObject(project) && typeof name === 'string' ? `${String(project['slug'])}/${name}` : undefined

/** An owner that the caller may not see has its type and id alone. */
function ownerOf({ target_type: type, target_id: id }: Json, owners: ReadonlyMap<string, unknown>): string {
  const name = owners.get(`${String(type)} ${String(id)}`)
  return typeof name === 'string' ? name : `${String(type)} ${String(id)}`
}

/** The share of one core. */
const percentOf = (cpu: unknown): string | null =>
  typeof cpu === 'number' ? `${(cpu * 100).toFixed(1)} %` : null

const mebibytesOf = (bytes: unknown): string | null =>
  typeof bytes === 'number' ? `${(bytes / 1024 ** 2).toFixed(1)} MiB` : null
