export { ClientGone } from '#/work/client-gone.ts'
export { asCoded } from '#/work/coded.ts'
export {
  type Ending,
  type Entry,
  type Execution,
  type Executor,
  type ExecutorDeps,
  makeExecutor,
  type Recording,
} from '#/work/executor.ts'
export type { EventPublisher, FeedEvent, WorkLog } from '#/work/ports.ts'
export { UNRECORDED, type UnrecordedReason } from '#/work/unrecorded.ts'
export { type WithEnd, type WorkKind, workKind } from '#/work/kinds.ts'
export { makeWorkChecks } from '#/work/checks.ts'
export { startWorkRunner, type WorkRunner, type WorkRunnerDeps } from '#/work/runner.ts'
