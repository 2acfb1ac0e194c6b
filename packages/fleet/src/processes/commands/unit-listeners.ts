import { programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

/** TCP ports of the loopback address on which the processes of a unit listen. */
export const unitListeners: NodeScript<{ readonly root: string; readonly unit: string }, readonly number[]> =
  {
    source: programOf(textFile('unit-listeners.sh', import.meta.url), START),
    args: ({ root, unit }) => [root, unit],
    timeoutSeconds: 15,
    reasons: { 'no-systemd': 'node.capability_missing' },
    broken: 'process.runtime_failed',
    read: (answer) => answer.text('ports').split(' ').filter(Boolean).map(Number),
  }
