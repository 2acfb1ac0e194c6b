import { MalformedOutput, programOf, ROOT_FILES, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'
import { MARKER, markerText } from '#/managed-services/api.ts'

export type ProcessAction = 'start' | 'stop' | 'restart'

export interface ActionRequest {
  readonly root: string
  readonly id: number
  readonly unit: string
  readonly action: ProcessAction
  readonly startsAtBoot: boolean
  /** SHA-256 that the unit file has to have, else nothing is done. Absent: whatever it is. */
  readonly digest?: string
}

/** Longer than a command may take to end, by the `TimeoutStopSec` of its unit. */
const ACTION_SECONDS = 60
/** A word of systemd. */
export const STATUS_WORD = /^[a-z][a-z-]{0,31}$/

/** The unit file is not the one that was expected. */
export const DIFFERS = 'differs'

/** Starts, stops or restarts the unit, and answers its status afterwards or `differs`: one round trip (PROC-013). */
export const actOnUnit: NodeScript<ActionRequest, string> = {
  source: programOf(textFile('act.sh', import.meta.url), ROOT_FILES, MARKER),
  args: ({ root, id, unit, action, startsAtBoot, digest = '' }) => [
    root,
    markerText('process', id),
    unit,
    action,
    startsAtBoot ? 'yes' : 'no',
    digest,
  ],
  timeoutSeconds: ACTION_SECONDS,
  reasons: {
    'no-systemd': [
      'node.capability_missing',
      'The Node has no systemd, which runs Processes. Embedded Nodes have none; the lab has real hosts.',
    ],
    missing: [
      'process.runtime_failed',
      'The unit of the Process is missing on the Node. Install it again with `fleet process:start <process>`.',
    ],
    foreign: 'process.unit_conflict',
    failed: 'process.runtime_failed',
  },
  broken: 'process.runtime_failed',
  read: (answer) => {
    const status = answer.text('status')
    if (!STATUS_WORD.test(status)) throw new MalformedOutput('not a state of systemd')
    return status
  },
}
