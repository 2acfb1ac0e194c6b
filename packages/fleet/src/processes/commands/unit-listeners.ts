import { programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

/** Where something of a Node is reached from the Node itself. */
export interface Listener {
  readonly host: '127.0.0.1' | '[::1]'
  readonly port: number
}

/** On which TCP ports of the loopback addresses the processes of a unit listen; a port of both is one of 127.0.0.1. */
export const unitListeners: NodeScript<
  { readonly root: string; readonly unit: string },
  readonly Listener[]
> = {
  source: programOf(textFile('unit-listeners.sh', import.meta.url), START),
  args: ({ root, unit }) => [root, unit],
  timeoutSeconds: 15,
  reasons: { 'no-systemd': 'node.capability_missing' },
  broken: 'process.runtime_failed',
  read: (answer) => {
    const ports = portsIn(answer.text('ports'))
    const further = portsIn(answer.text('ports6')).difference(ports)
    return [
      ...[...ports].map((port) => ({ host: '127.0.0.1', port }) as const),
      ...[...further].map((port) => ({ host: '[::1]', port }) as const),
    ]
  },
}

const portsIn = (text: string): ReadonlySet<number> => new Set(text.split(' ').filter(Boolean).map(Number))
