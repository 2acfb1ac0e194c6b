import type { ToolManagerName } from '@fleet/contract'
import { codeOf } from '#/error-details.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { putManager } from '#/tools/queries.ts'

/** Where a manager stopped. macOS managers are only verified (TLX-013). */
export interface ManagerFailure {
  readonly failed_step: string
  readonly error_code: string
}

/**
 * Prepares a manager of a Node and records it: `provisioning` meanwhile, `active` with its version, or `failed` with step and
 * code. Throws what the work throws.
 */
export async function recordManager(
  { store, clock }: Pick<ToolsDeps, 'store' | 'clock'>,
  nodeId: number,
  name: ToolManagerName,
  prepare: () => Promise<string>,
  failureOf: (error: unknown) => ManagerFailure = materializeFailure,
): Promise<void> {
  const manager = { node_id: nodeId, name, created_at: clock.now().toISOString() }
  const clean = { failed_step: null, error_code: null }
  await putManager(store.db, { ...manager, ...clean, status: 'provisioning' })
  try {
    const installed_version = await prepare()
    await putManager(store.db, { ...manager, ...clean, status: 'active', installed_version })
  } catch (error) {
    await putManager(store.db, { ...manager, ...failureOf(error), status: 'failed' })
    throw error
  }
}

const materializeFailure = (error: unknown): ManagerFailure => ({
  failed_step: 'materialize',
  error_code: codeOf(error),
})
