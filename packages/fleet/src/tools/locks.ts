import type { ErrorCode } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holding, lockOf, type NamedLock } from '#/locks/api.ts'
import type { PackagePlace } from '#/tools/guards.ts'
import { MANAGERS } from '#/tools/managers/catalogue.ts'

type LockStore = Pick<Store, 'locks'>

/** Nobody waits for a manager: its holder may be installing for minutes (facts 1.6). Throws the given code. */
export const holdingApt = <T>(
  store: LockStore,
  call: Call,
  nodeId: number,
  busy: ErrorCode,
  work: () => Promise<T>,
): Promise<T> => holding(store, call, lockOf('apt', nodeId, { busy }), work)

/** Runs the work under the lock of the Tool, then that of its manager, without waiting. Throws `tool.operation_locked` (TLX-050). */
export const holdingTool = <T>(
  store: LockStore,
  call: Call,
  place: PackagePlace,
  work: () => Promise<T>,
): Promise<T> => holding(store, call, toolLock(place.node.id, place.manager, place.name), work)

/** The lock of a package of a Node. */
export const toolLock = (nodeId: number, manager: string, name: string): NamedLock =>
  lockOf('tool', `${nodeId}:${manager}:${name}`)

/** The scope of a manager. Who also installs it takes that of apt first. */
export const holdingManager = <T>(
  store: LockStore,
  call: Call,
  { node, manager }: Pick<PackagePlace, 'node' | 'manager'>,
  work: () => Promise<T>,
): Promise<T> => {
  const { lock } = MANAGERS[manager]
  return lock === 'apt'
    ? holdingApt(store, call, node.id, 'tool.operation_locked', work)
    : holding(store, call, lockOf(lock, node.id), work)
}
