import { objectsIn } from '#/print/value.ts'
import type { FurtherRead } from './view.ts'

/** How long a Route waits for the names of Processes: their list asks each Node, also for what is not shown here. */
const NAMES_SECONDS = 3

/** Processes of Nodes, of one or of all: only to those a custom proxy leads. */
export const processesRead = (nodeId?: unknown): FurtherRead => ({
  operation: 'process:list',
  members: { target_type: 'node', ...(typeof nodeId === 'number' ? { target_id: nodeId } : {}) },
  timeoutSeconds: NAMES_SECONDS,
})

/** `web-1/echo` by the id of a Process, as far as both lists could be read. */
export function processNames(processes: unknown, nodes: unknown): ReadonlyMap<unknown, string> {
  const names = new Map(objectsIn(nodes).map(({ id, name }) => [id, name]))
  return new Map(
    objectsIn(processes).flatMap(({ id, name, target_id: owner }) =>
      typeof name === 'string' && typeof names.get(owner) === 'string'
        ? [[id, `${String(names.get(owner))}/${name}`] as const]
        : [],
    ),
  )
}
