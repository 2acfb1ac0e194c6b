import { isObject, type Json, objectsIn } from '#/print/value.ts'
import { isStillOpen, type Records } from './route-problems.ts'
import { processesRead, processNames } from './process-names.ts'
import { type ListView, wholeList } from './view.ts'

/** Each Route with where it leads, by names: the Instances are read beside it. */
export const routeList: ListView = {
  also: (routes) => [
    wholeList('instance:list'),
    ...(routes.some(({ process_id: process }) => typeof process === 'number')
      ? [wholeList('node:list'), processesRead()]
      : []),
  ],
  rows: (routes, [also, nodes, listed]) => {
    const processes = processNames(listed, nodes)
    const instances = byId(also)
    return routes.map((route) => ({
      ...route,
      ...(isStillOpen(route) ? { publication: 'private, still open' } : {}),
      leads_to: destinationOf(route, instances, processes),
    }))
  },
}

/** The records of a list by their ids; none of a list that could not be read. */
export const byId = (list: unknown): Records =>
  new Map(objectsIn(list).map((record) => [record['id'], record]))

function destinationOf(
  route: Json,
  instances: ReadonlyMap<unknown, Json>,
  processes: ReadonlyMap<unknown, string>,
): string {
  const { upstream, process_id: process, web_root: webRoot, targets } = route
  if (typeof upstream === 'string') return upstream
  if (typeof process === 'number') return processes.get(process) ?? `Process ${process}`
  const names = objectsIn(targets).map(({ instance_id: id }) => nameOf(id, instances.get(id)))
  if (names.length === 0) return 'nothing'
  return `${names.join(', ')}${typeof webRoot === 'string' ? ` (${webRoot})` : ''}`
}

/** `shop/default on web-1`; an Instance on a Node that the caller may not see has its id alone. */
export function nameOf(id: unknown, instance: Json | undefined): string {
  const { project, node, name } = instance ?? {}
  return isObject(project) && isObject(node)
    ? `${String(project['slug'])}/${String(name)} on ${String(node['name'])}`
    : `Instance ${String(id)}`
}
