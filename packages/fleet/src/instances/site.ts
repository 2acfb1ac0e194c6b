import { fail } from '@fleet/contract'
import type { Command } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import type { HeldLock } from '@fleet/store'
import { type Call, withDeadline } from '#/call.ts'
import type { NodeRecord, NodeRunOptions, Nodes } from '#/nodes/api.ts'
import type { ProjectRecord } from '#/projects/api.ts'

/** Where one lifecycle operation works: an Instance's Node and Project under the lock of the operation. */
export interface Site {
  readonly call: Call
  readonly node: NodeRecord
  readonly project: ProjectRecord
  /** Throws what NodeShell throws, and `node.lock_lost` before a command once the lock has gone to another request. */
  run(command: Command, options?: NodeRunOptions): Promise<CommandResult>
  /** Throws `node.lock_lost` once the lock has gone to another request. */
  requireHeld(): void
  /** The same place with another share of the request's time kept for clean-up. */
  reserving(seconds: number): Site
  /** The same place under a further lock. */
  guardedBy(lock: Held): Site
}

type Held = Pick<HeldLock, 'held'>

export function makeSite(
  shell: Nodes['shell'],
  lock: Held,
  place: Pick<Site, 'call' | 'node' | 'project'>,
): Site {
  const { call, node } = place
  const requireHeld = (): void => {
    if (!lock.held) throw fail('node.lock_lost', { details: nodeDetail(node) })
  }
  return {
    ...place,
    requireHeld,
    run: async (command, options) => {
      requireHeld()
      return shell.run(call, node, command, options)
    },
    reserving: (seconds) =>
      makeSite(shell, lock, { ...place, call: withDeadline(call, call.deadline.reserving(seconds)) }),
    // Not a new object with both values: each lock says for itself, at the time of asking, whether it is held.
    guardedBy: (further) =>
      makeSite(
        shell,
        {
          get held() {
            return lock.held && further.held
          },
        },
        place,
      ),
  }
}

/** How answers name a Node. */
export const nodeDetail = (
  node: NodeRecord,
): { readonly node: { readonly id: number; readonly name: string } } => ({
  node: { id: node.id, name: node.name },
})
