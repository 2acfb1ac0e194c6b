import { programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

/** Ports of a Node on which somebody listens, of those asked for. */
export const readyPorts: NodeScript<readonly number[], ReadonlySet<number>> = {
  source: programOf(textFile('ready-ports.sh', import.meta.url), START),
  args: (ports) => ports,
  timeoutSeconds: 15,
  reasons: {},
  broken: 'node.command_failed',
  read: (answer) => new Set(answer.text('open').split(' ').filter(Boolean).map(Number)),
}
