import { programOf, START, textFile } from '@fleet/shell'
import { type FirewallState, readState as stateOf } from '#/firewall/ufw/state.ts'
import type { NodeScript } from '#/nodes/api.ts'

/** Root of the machine's files: empty on every Node, a folder in tests. */
export type Root = string

/** How both scripts read the firewall: its rules files byte for byte, and what the kernel really does. */
export const FIREWALL_STATE = textFile('firewall-state.sh', import.meta.url)

/** What Doctor and every change ask first. It changes nothing. */
export const readState: NodeScript<{ readonly root: Root }, FirewallState> = {
  source: programOf(textFile('read-state.sh', import.meta.url), START, FIREWALL_STATE),
  args: ({ root }) => [root],
  timeoutSeconds: 120,
  reasons: {},
  broken: { code: 'node.command_failed', details: { reason: 'firewall' } },
  read: stateOf,
}
