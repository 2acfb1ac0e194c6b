import { usage } from '#/exit.ts'
import { didYouMean } from '#/suggest.ts'
import { isObject, type Json } from '#/print/value.ts'

export interface FeedWish {
  /** Types such as `node.updated`, or families such as `node`. */
  readonly types: readonly string[]
  readonly node: number | undefined
  readonly activities: boolean
  /** Every type that the feed publishes. */
  readonly known: readonly string[]
}

/** Whether an event passes the filter. Every request publishes Activities, so they are shown only on request. */
export function makeFilter({ types, node, activities, known }: FeedWish): (event: Json) => boolean {
  const families = [...new Set(known.map((type) => type.split('.')[0] ?? ''))]
  for (const type of types)
    if (!known.includes(type) && !families.includes(type))
      throw usage(
        `--type takes a type such as node.updated, or a family such as node, not ${type}.`,
        didYouMean(type, [...families, ...known]) ?? `Families: ${families.join(', ')}`,
      )
  return (event) => {
    const type = String(event['type'])
    const [family = ''] = type.split('.')
    const isWanted =
      types.length > 0 ? types.includes(type) || types.includes(family) : activities || family !== 'activity'
    return isWanted && (node === undefined || concerns(event, family, node))
  }
}

/** Whether the record is the Node, is on it, or is about it. */
function concerns({ id, data }: Json, family: string, node: number): boolean {
  if (family === 'node') return id === node
  const record = isObject(data) ? data : {}
  const places = [record['node_id'], record['target_node_id'], record['caller_node_id']]
  return places.includes(node) || (isObject(record['node']) && record['node']['id'] === node)
}
