import { fail, invalid, type RoleName } from '@fleet/contract'
import type { RoleRow } from '#/nodes/api.ts'

/** What is to be done so that the target alone holds the role. */
export type Move =
  /** The target holds it and nothing is left elsewhere. */
  | { readonly kind: 'none' }
  /** From the source, which still holds it. */
  | { readonly kind: 'whole'; readonly source: RoleRow }
  /** The target holds it already, `active` or not yet; the source is left to be withdrawn. */
  | { readonly kind: 'rest'; readonly source: RoleRow; readonly target: RoleRow }

export interface MoveFacts {
  readonly role: RoleName
  readonly target: number
  readonly from: number | undefined
  /** Every assignment of the role in the fleet. */
  readonly holders: readonly RoleRow[]
}

/**
 * Decides from the records alone what a relocation has to do. An assignment that is being, or failed to be, taken away is
 * what an earlier move left. Throws `node_role.not_found` when no Node holds the role, and 422 for a `from` that is
 * missing or wrong (ROLE-037).
 */
export function moveOf({ role, target, from, holders }: MoveFacts): Move {
  const here = holders.find((holder) => holder.node_id === target)
  const elsewhere = holders.filter((holder) => holder.node_id !== target)
  const holder = elsewhere.find((other) => !isResidue(other))
  if (holder) {
    if (from !== undefined && from !== holder.node_id) throw wrongFrom(role)
    return { kind: 'whole', source: holder }
  }
  if (!here) throw fail('node_role.not_found', { message: `No Node has the role ${role}.` })
  if (elsewhere.length === 0) return { kind: 'none' }
  if (from === undefined) throw missingFrom(elsewhere)
  const source = elsewhere.find((other) => other.node_id === from)
  if (!source) throw wrongFrom(role)
  return { kind: 'rest', source, target: here }
}

/** Left by an earlier move or removal. */
export const isResidue = ({ status, failed_step }: RoleRow): boolean =>
  status === 'removing' || (status === 'failed' && failed_step?.startsWith('remove:') === true)

const wrongFrom = (role: RoleName): Error =>
  invalid({ from: [`is not a Node that has, or had, the role ${role}`] })

const missingFrom = (left: readonly RoleRow[]): Error =>
  invalid({
    from: [
      `is required to complete a move: its residue is on Node ${left.map((row) => row.node_id).join(', ')}`,
    ],
  })
