import type { Clock } from '@fleet/kernel'
import type { NewRow } from '@fleet/store'
import type { RouterPlacement } from '#/routes/routers/queries.ts'

/** What a Router keeps of a Route that is removed without it. */
export const routerResidue = (
  { node_id, route_id, leaf_scope }: RouterPlacement,
  domain: string,
  clock: Pick<Clock, 'now'>,
): NewRow<'route_residues'> => ({
  node_id,
  route_id,
  domain,
  retained_steps: ['caddy', 'certificate'],
  leaf_scope,
  created_at: clock.now().toISOString(),
})
