export { CallLocks, LockOrderViolation } from '#/locks/call-locks.ts'
export { holding, holdingAll, type LockingCall } from '#/locks/holding.ts'
export {
  type BusyLockKind,
  fleetLock,
  type NamedLock,
  type LockKind,
  lockOf,
  type LockRule,
  LOCKS,
} from '#/locks/table.ts'
