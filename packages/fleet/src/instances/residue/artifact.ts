import { fail } from '@fleet/contract'
import { discardCheckout } from '#/instances/commands/discard-checkout.ts'
import type { NodeArtifact, NodeSession } from '#/nodes/api.ts'
import type { Residue, ResidueQueries } from './queries.ts'

/**
 * Deletes what removals of a silent Node left there. A checkout is deleted only if its receipt proves it to be the removed
 * Instance's, so that a newer one at the same path stays.
 */
export const makeResidueArtifact = (residues: ResidueQueries): NodeArtifact => ({
  name: 'instance-residue',
  digest: async (node) => {
    const found = await residues.onNode(node.id)
    return found.length === 0 ? undefined : found.map(({ id }) => String(id)).join(' ')
  },
  converge: async (session) => {
    let isAway = false
    for (const residue of await residues.onNode(session.node.id)) {
      if (await isDiscarded(session, residue)) await residues.remove(residue.id)
      else isAway = true
    }
    return isAway ? { skipped: 'instance.source_path_mismatch' } : 'applied'
  },
})

/** False while the folder above is out of sight: it may be on a disk that is not mounted. */
async function isDiscarded(session: NodeSession, residue: Residue): Promise<boolean> {
  const { checkout_path: checkoutPath, preparation_id: preparationId, quarantine_id: quarantineId } = residue
  const request = { checkoutPath, preparationId, quarantineId, mode: 'attempt' } as const
  const { word } = await session.ask(discardCheckout, request, { broken: 'instance.force_failed' })
  const details = { node: { id: session.node.id, name: session.node.name }, path: checkoutPath }
  if (word === 'erase-failed') throw fail('instance.force_failed', { details })
  if (word === 'unsafe') throw fail('instance.checkout_path_unsafe', { details })
  if (word === 'busy') throw fail('instance.lifecycle_busy', { details })
  return word !== 'root-missing'
}
