import { type Listener, programOf, readListeners as listenersIn, START, textFile } from '@fleet/shell'
import type { Root } from '#/firewall/commands/read-state.ts'
import type { NodeScript } from '#/nodes/api.ts'

/** What waits on a machine for others. */
export interface Listening {
  readonly listeners: readonly Listener[]
  /** Ports of containers that the rules of UFW do not filter, as `tcp 8080`. */
  readonly published: readonly string[]
}

/** It changes nothing. What a machine cannot print it does not have: nobody fails for it. */
export const readListeners: NodeScript<{ readonly root: Root }, Listening> = {
  source: programOf(textFile('listeners.sh', import.meta.url), START),
  args: ({ root }) => [root],
  timeoutSeconds: 60,
  reasons: {},
  broken: { code: 'node.command_failed', details: { reason: 'firewall' } },
  read: (answer) => ({
    listeners: listenersIn(answer.text('sockets')),
    published: answer
      .text('published')
      .split('\n')
      .filter((line) => /^(tcp|udp) \d+$/.test(line)),
  }),
}
