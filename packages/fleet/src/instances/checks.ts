import type { Clock } from '@fleet/kernel'
import type { Store, TransferRecord } from '@fleet/store'
import type { InstanceQueries, InstanceState } from '#/instances/queries.ts'
import type { ResidueQueries } from '#/instances/residue/queries.ts'
import { lifecycleLock } from '#/instances/locks.ts'
import { isOpen } from '#/instances/transfer/record.ts'
import {
  type Check,
  type FamilyChecks,
  type Finding,
  type NodeRecord,
  nodeResource,
  statusDiffers,
  stored,
  unlessHeld,
} from '#/nodes/api.ts'

export interface InstanceCheckDeps {
  readonly store: Pick<Store, 'locks'>
  readonly clock: Pick<Clock, 'now'>
  readonly queries: Pick<InstanceQueries, 'statesOn'>
  readonly residues: Pick<ResidueQueries, 'onNode'>
}

/** The family `instance`: what a request left half-done, once nobody works on it any more (DRF-041, INS-016). */
export const makeInstanceChecks = (deps: InstanceCheckDeps): FamilyChecks => ({
  family: 'instance',
  checksOf: async (_call, node) =>
    (await deps.queries.statesOn(node.id)).flatMap((row) => checksOf(deps, node, row)),
})

/** The instances' part of the family `node`: checkouts that outlived their records (decision 0151). */
export const makeResidueChecks = ({ residues }: InstanceCheckDeps): FamilyChecks => ({
  family: 'node',
  checksOf: async (_call, node) => [
    stored('node.instance_residue_retained', nodeResource(node), async () => {
      const { length } = await residues.onNode(node.id)
      return length === 0 ? undefined : { expected: 'none', observed: String(length) }
    }),
  ],
})

function checksOf(
  { store, clock, queries }: InstanceCheckDeps,
  node: NodeRecord,
  row: InstanceState,
): readonly Check[] {
  const resource = { type: 'instance', id: row.id, name: row.name }
  const unfinished = async (judge: (state: InstanceState) => Finding | undefined) => {
    if (!judge(row)) return undefined
    const { name } = lifecycleLock({ projectId: row.project_id, name: row.name })
    return unlessHeld(store.locks, name, async () => {
      const now = (await queries.statesOn(node.id)).find(({ id }) => id === row.id)
      return now && judge(now)
    })
  }
  const stuck = stuckFor(clock, row)
  if (stuck) return [stored('instance.removal_stuck', resource, () => stuck)]
  // A removal in progress is nobody's concern yet; one that failed waits for the same request.
  if (row.removal_status === 'removing') return []
  return [
    stored('instance.lifecycle_not_active', resource, () =>
      unfinished((state) => {
        const found = statusDiffers('active', state)
        return found && { ...found, observed: `${found.observed}${forced(state)}` }
      }),
    ),
    stored('instance.setup_unfinished', resource, () =>
      unfinished(({ status, setup, error_code }) =>
        status === 'active' && setup !== null
          ? { expected: 'finished', observed: error_code === null ? 'interrupted' : 'failed' }
          : undefined,
      ),
    ),
    stored('instance.transfer_unfinished', resource, () =>
      unfinished(({ transfer }) => (isOpen(transfer) ? transferFinding(transfer) : undefined)),
    ),
  ]
}

/** A removal that was forced is only finished as one. */
const forced = ({ removal_force: isForced }: InstanceState): string => (isForced ? ', by force' : '')

const transferFinding = ({ status, failed_step: step }: TransferRecord): Finding => ({
  expected: 'finished',
  observed: status === 'failed' ? `failed, at ${step ?? 'its start'}` : 'interrupted',
})

/** Every step of a removal ends within its own deadline; one that takes longer waits for somebody (DOC-026). */
const STUCK_MINUTES = 10

function stuckFor(clock: Pick<Clock, 'now'>, state: InstanceState): Finding | undefined {
  const { removal_status, removal_started_at: since, removal_step: step } = state
  if (removal_status === null || since === null) return undefined
  const minutes = Math.floor((clock.now().getTime() - Date.parse(since)) / 60_000)
  if (minutes < STUCK_MINUTES) return undefined
  return {
    expected: `under ${STUCK_MINUTES} minutes`,
    observed: `${minutes} minutes, at ${step ?? 'its start'}${forced(state)}`,
  }
}
