import { type Executor, type ExecutorDeps, makeExecutor, type WorkLog } from '@fleet/fleet'
import { systemClock, systemIds } from '@fleet/kernel'

export const silentLog: WorkLog = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** The real executor with the parts that a test cares for. */
export const testExecutor = (given: Partial<ExecutorDeps> & Pick<ExecutorDeps, 'journal'>): Executor =>
  makeExecutor({
    store: { transaction: () => Promise.reject(new Error('this test has no store')) },
    clock: systemClock,
    ids: systemIds,
    feed: { publish: () => Promise.resolve() },
    log: silentLog,
    signal: new AbortController().signal,
    strictLocks: true,
    ...given,
  })
