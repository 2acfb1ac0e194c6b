import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { ReadFacts } from '#/firewall/facts.ts'
import type { FirewallProgram } from '#/firewall/program.ts'
import type { Nodes } from '#/nodes/api.ts'

/** What the handlers of the domain are made of. */
export interface HandlerDeps {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Nodes
  readonly program: FirewallProgram
  readonly readFacts: ReadFacts
}
