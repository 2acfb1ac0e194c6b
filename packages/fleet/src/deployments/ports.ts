import type { NodeSession } from '#/nodes/api.ts'
import type { ProductionInstance } from '#/instances/api.ts'

/** The PHP service of a production Instance, as far as a deployment needs it. */
export interface ProductionPhp {
  /**
   * Reconciles the service with the selected release and resets its opcode cache; returns once a later request has seen the
   * reset (DEPL-034). False for an Instance that has no such service.
   */
  hasService(instance: ProductionInstance): Promise<boolean>
  refresh(session: NodeSession, instance: ProductionInstance): Promise<void>
}
