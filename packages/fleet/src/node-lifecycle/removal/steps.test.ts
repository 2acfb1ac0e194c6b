import { testStepList } from '@fleet/steps/testing'
import { life, member, type Life, viewOf } from '#/node-lifecycle/life.test.ts'
import { findNode, type NodeRecord } from '#/nodes/api.ts'
import { readRemoval, type Removal, type RemovalKind } from './removal.ts'
import { removalLog } from './run.ts'
import { nodeRemoval } from './steps.ts'

const begin = life()

interface Given extends Removal {
  readonly life: Life
  /** What the last request answers. */
  readonly answer: { outcome: Removal['outcome'] }
}

const request = (given: Life, node: NodeRecord, kind: RemovalKind, answer: Given['answer']): Given => {
  const { deps, call } = given
  const outcome = { ...readRemoval(node).outcome }
  answer.outcome = outcome
  return { life: given, answer, deps, call, node, kind, roles: [], outcome }
}

for (const kind of ['online', 'reachable', 'silent'] as const)
  testStepList<Given>('node-removal', {
    variant: kind,
    list: nodeRemoval,
    fresh: async () => {
      const given = await begin()
      const node = await member(given)
      return request(given, node, kind, { outcome: { ...readRemoval(node).outcome } })
    },
    view: async ({ life: { services }, deps, node, answer }) => {
      const row = await findNode(deps.store.db, node.id)
      // The row's own record of the removal is the log.
      return {
        world: viewOf(services.world, node),
        status: row?.status,
        outcome: row ? undefined : answer.outcome,
      }
    },
    log: removalLog,
    again: async ({ life: given, node, answer }) => {
      const row = await findNode(given.deps.store.db, node.id)
      return row && request(await begin(given.services), row, kind, answer)
    },
    // The row and everything that goes with it are deleted in one transaction.
    commitsWhole: true,
  })
