import type { Call } from '#/call.ts'
import type { InstanceDeps } from './deps.ts'
import type { Placement } from './guards.ts'
import type { InstanceRow } from './queries.ts'
import { presented } from './require.ts'

/**
 * Publishes an Instance that a failed request leaves for good: the identical request finds it made and reports nothing (EV-026).
 * Never fails, because the caller has a failure of its own.
 */
export async function publishKept(
  deps: InstanceDeps,
  call: Call,
  { id, placement }: { readonly id: number; readonly placement: Placement },
  isLeft: (row: InstanceRow) => boolean,
): Promise<void> {
  try {
    const row = await deps.queries.find(id)
    if (row && isLeft(row)) await call.publish('instance.created', await presented(deps, row, placement))
  } catch {
    call.log('a created Instance could not be published', { instance: id })
  }
}
