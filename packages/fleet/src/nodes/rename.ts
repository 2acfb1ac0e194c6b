import { fail } from '@fleet/contract'
import { isTaken, type Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { holding } from '#/locks/api.ts'
import { holdingNode, nodeNameHold, requireNode } from '#/nodes/locks.ts'
import type { NodeNames } from '#/nodes/ports.ts'
import { presentNode } from '#/nodes/present.ts'
import { publishNode } from '#/nodes/publish-node.ts'
import { findNamesake, updateNode } from '#/nodes/queries.ts'

/**
 * Current name locked first, then the new one; the same name writes nothing (NODE-098). The record counts: while the `vpn`
 * Node does not take the new private name, Doctor reports it.
 */
export const makeRename =
  (store: Store, names: NodeNames): Handler<'node:rename'> =>
  async ({ call, input: { node: id, name }, found }) => {
    const current = found?.node ?? (await requireNode(store, id))
    if (current.name === name) return { data: presentNode(current) }
    return holdingNode(store, call, current, (node) =>
      holding(store, call, nodeNameHold(name), async () => {
        await requireFreeName(store, names, id, name)
        await renameOrRefuse(store, id, name)
        call.note.property('previous_name', node.name)
        const renamed = (await publishNode(store.db, call, id)) ?? { ...node, name }
        await names.publish(call).catch(() => call.log('the private name of the Node was not published'))
        return { data: presentNode(renamed) }
      }),
    )
  }

/** Throws `node.name_taken`: whoever may act on a Node takes no name that leads to another one (decision 0360). */
async function requireFreeName({ db }: Store, names: NodeNames, id: number, name: string): Promise<void> {
  const namesake = await findNamesake(db, { id, name })
  if (namesake?.name === name) throw fail('node.name_taken')
  if (namesake)
    throw fail('node.name_taken', {
      message: `The Node ${namesake.name} has this name: DNS knows no case.`,
      details: { node: namesake },
    })
  const route = await names.routeUnder(name)
  if (route && route.node_id !== id)
    throw fail('node.name_taken', {
      message: `A Route has the domain ${route.domain}, which would lead to the Node instead.`,
      details: { domain: route.domain },
    })
}

async function renameOrRefuse({ db }: Store, id: number, name: string): Promise<void> {
  try {
    await updateNode(db, id, { name })
  } catch (error) {
    // Somebody who takes no name lock, such as the registry, may have stored it in between.
    throw isTaken(error, 'nodes(name)') ? fail('node.name_taken', { cause: error }) : error
  }
}
