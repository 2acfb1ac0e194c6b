import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { makeAdd } from '#/firewall/add.ts'
import { makeCallersArtifact } from '#/firewall/callers/artifact.ts'
import { makeCallers } from '#/firewall/callers.ts'
import { makeFirewallChecks, memberCheck } from '#/firewall/checks/firewall.ts'
import { makeProjectionChecks, roleCheck } from '#/firewall/checks/projection.ts'
import { type FactsDeps, makeReadFacts } from '#/firewall/facts.ts'
import type { Firewall } from '#/firewall/firewall.ts'
import { makeLanAccess } from '#/firewall/lan-access.ts'
import { makeList, makeNodeList } from '#/firewall/list.ts'
import { type FirewallLocators, makeFirewallLocators } from '#/firewall/locators.ts'
import { makeLive } from '#/firewall/live.ts'
import { makeManaged } from '#/firewall/managed.ts'
import { makeNodeFirewall } from '#/firewall/node-firewall.ts'
import { type FirewallProgram, ufw } from '#/firewall/program.ts'
import { countRules } from '#/firewall/queries.ts'
import { makeRemove } from '#/firewall/remove.ts'
import type { HandlersOf } from '#/handler.ts'
import type { FamilyChecks, NodeArtifact, Nodes } from '#/nodes/api.ts'

export interface FirewallDeps extends FactsDeps {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Nodes
  /** UFW when absent. */
  readonly program?: FirewallProgram
}

export type FirewallHandlers = HandlersOf<
  'firewall:list' | `node:firewall:${'list' | 'allow' | 'deny' | 'remove' | 'managed' | 'live' | 'callers'}`
>

export interface FirewallDomain {
  readonly handlers: FirewallHandlers
  readonly locators: FirewallLocators
  /** The family `firewall` and a part of the family `role`. */
  readonly checks: readonly FamilyChecks[]
  readonly firewall: Firewall
  /** The limit of callers, applied again by a converge. */
  readonly artifact: NodeArtifact
}

/** The firewall of each Node: rules of operators, and those that Fleet keeps for itself. */
export function makeFirewall({ program = ufw, ...given }: FirewallDeps): FirewallDomain {
  const { store, nodes } = given
  const deps = { ...given, program, readFacts: makeReadFacts(given) }
  const checked = { ...deps, db: store.db, locks: store.locks }
  return {
    handlers: {
      'firewall:list': makeList(store, nodes),
      'node:firewall:list': makeNodeList(store),
      'node:firewall:allow': makeAdd(deps, 'allow'),
      'node:firewall:deny': makeAdd(deps, 'deny'),
      'node:firewall:remove': makeRemove(deps),
      'node:firewall:managed': makeManaged(deps),
      'node:firewall:live': makeLive(deps),
      'node:firewall:callers': makeCallers(deps),
    },
    locators: makeFirewallLocators(store),
    checks: [makeFirewallChecks(checked), makeProjectionChecks(checked)],
    firewall: {
      onNodes: makeNodeFirewall(checked),
      lan: makeLanAccess(deps),
      memberCheck: (code, resource, node) => memberCheck(checked, code, resource, node),
      roleCheck: (code, resource, node, role) => roleCheck(checked, { code, resource, node, role }),
      countRules: (nodeId) => countRules(store.db, nodeId),
    },
    artifact: makeCallersArtifact(checked),
  }
}
