import type { NodeIdentity } from '@fleet/contract'
import type { NodeSession } from '#/nodes/api.ts'
import type { ProjectRecord } from '#/projects/api.ts'

/** Where one lifecycle operation works: an Instance's Node, under the locks of the operation, and its Project. */
export interface CheckoutSession {
  readonly session: NodeSession
  readonly project: ProjectRecord
  /** The operation makes its directory, or puts it there: one that is gone is a step that failed. */
  readonly isNew?: boolean
}

/** The same with another share of the request's time kept for clean-up. */
export const reserving = (checkout: CheckoutSession, seconds: number): CheckoutSession => ({
  ...checkout,
  session: checkout.session.reserving(seconds),
})

/** How answers name a Node. */
export const nodeDetail = ({
  node: { id, name },
}: {
  readonly node: NodeIdentity
}): { readonly node: NodeIdentity } => ({ node: { id, name } })
