import type { StepEvent, StepLog, StepProgress } from '@fleet/steps'
import type { Store } from '@fleet/store'
import { type NodeRecord, updateNode } from '#/nodes/api.ts'
import type { StepWatch } from '#/node-lifecycle/enrolment/step-watch.ts'
import type { RemovalOutcome } from './removal.ts'

/** Last event of each step, and what they found: `nodes.removal`. */
interface Stored {
  readonly steps: Readonly<Record<string, StepEvent>>
  readonly outcome: RemovalOutcome
}

const nothing: Stored = {
  steps: {},
  outcome: { peerRemoved: false, namesRemoved: 0, agentLeft: false },
}

/** What an earlier request for the same removal has recorded. */
export const readRemoval = ({ removal }: Pick<NodeRecord, 'removal'>): Stored => removal ?? nothing

/** The record of a removal in the Node's own row, so that the identical request goes on from it. */
export function removalLog(
  { db }: Store,
  node: NodeRecord,
  outcome: RemovalOutcome,
  watch: StepWatch,
): StepLog {
  const steps = { ...readRemoval(node).steps }
  const names = (isWanted: (event: StepEvent) => boolean): string[] =>
    Object.entries(steps).flatMap(([name, event]) => (isWanted(event) ? [name] : []))
  const progress = (): StepProgress => ({
    done: names((event) => event === 'done'),
    begun: names((event) => event !== 'done' && event !== 'undone'),
  })
  return {
    progress: () => Promise.resolve(progress()),
    record: async (step, event) => {
      steps[step] = event
      // Deleting the row is the last step, and its own record.
      if (step !== LAST_STEP || event !== 'done')
        await updateNode(db, node.id, { removal: { steps, outcome } })
      await watch.record(step, event)
    },
  }
}

/** The commit point: the row that keeps the progress goes with it. */
export const LAST_STEP = 'persistence'
