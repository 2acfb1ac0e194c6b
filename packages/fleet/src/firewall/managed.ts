import { managedRulesOf } from '#/firewall/managed/table.ts'
import type { HandlerDeps } from '#/firewall/deps.ts'
import { presentManaged } from '#/firewall/present.ts'
import { requireNode } from '#/firewall/require.ts'
import type { Handler } from '#/handler.ts'

/** From the records alone (FW-011). A machine without a firewall of the fleet is meant to have no rules. */
export const makeManaged =
  ({ nodes, readFacts }: Pick<HandlerDeps, 'nodes' | 'readFacts'>): Handler<'node:firewall:managed'> =>
  async ({ input, found }) => {
    const node = found?.node ?? (await requireNode(nodes, input.node))
    const rules = managedRulesOf(await readFacts(node), node.activeRoles)
    return { data: rules.map(presentManaged) }
  }
