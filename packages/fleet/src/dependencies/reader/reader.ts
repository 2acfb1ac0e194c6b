import { Worker } from 'node:worker_threads'
import type { Clock } from '@fleet/kernel'
import { type Dependencies, readDependencies, type SourceFiles } from '@fleet/lockfiles'

/** Reads the files of a project. Rejects with ReadingEnded where they take too much time or memory. */
export type ProjectReader = (files: SourceFiles, signal: AbortSignal) => Promise<Dependencies>

/** The files took more time or memory than a scan may. */
export class ReadingEnded extends Error {
  override readonly name = 'ReadingEnded'
}

/** Up to here reading takes less time than starting a thread would (decision 0167). */
const INLINE_BYTES = 256 * 1024

export interface ThreadLimits {
  readonly timeoutSeconds: number
  readonly heapMegabytes: number
}

const LIMITS: ThreadLimits = { timeoutSeconds: 20, heapMegabytes: 512 }

const YOUNG_MEGABYTES = 4

/** A thread that has nothing to read is used again for so long: starting one takes longer than reading. It ends later. */
const KEPT_MILLISECONDS = 20_000

/** Small projects are read at once; larger ones in a thread of their own, so that no other request waits for them. */
export const makeProjectReader = (clock: Clock, limits: ThreadLimits = LIMITS): ProjectReader => {
  const threads = keepThread(clock, limits.heapMegabytes)
  return async (files, signal) => {
    const size = Object.values(files).reduce((sum, content) => sum + content.length, 0)
    if (size <= INLINE_BYTES) return readDependencies(files)
    const thread = threads.take()
    using timer = clock.timer(limits.timeoutSeconds * 1000)
    // A scan's signal may be that of the process, which keeps every listener.
    const over = new AbortController()
    try {
      const ended = [timer.over.then(endedLate), aborted(signal, over.signal).then(endedLate)]
      const read = await Promise.race([answerOf(thread, files), ...ended])
      threads.keep(thread)
      return read
    } catch (error) {
      await thread.terminate()
      throw error
    } finally {
      over.abort()
    }
  }
}

interface Threads {
  take(): Worker
  /** Of several, the last is kept. */
  keep(thread: Worker): void
}

/** At most one thread waits for the next project. It holds neither the process nor, once it has ended, anything else. */
function keepThread(clock: Clock, heapMegabytes: number): Threads {
  let kept: { readonly thread: Worker; readonly since: number } | undefined
  const start = (): Worker => {
    const thread = new Worker(new URL('thread.ts', import.meta.url), {
      // A larger young generation makes no reading faster, and a scan up to 20 MB larger.
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    })
    // Whoever waits for an answer hears of both; of a thread that waits itself nobody has to.
    thread.on('error', () => undefined)
    thread.once('exit', () => {
      if (kept?.thread === thread) kept = undefined
    })
    return thread
  }
  return {
    take: () => {
      const found = kept
      kept = undefined
      if (found && clock.ticks() - found.since < KEPT_MILLISECONDS) {
        found.thread.ref()
        return found.thread
      }
      void found?.thread.terminate()
      return start()
    },
    keep: (thread) => {
      void kept?.thread.terminate()
      thread.unref()
      kept = { thread, since: clock.ticks() }
    },
  }
}

function answerOf(thread: Worker, files: SourceFiles): Promise<Dependencies> {
  const { promise, resolve, reject } = Promise.withResolvers<Dependencies>()
  const failed = (cause: unknown): void => reject(new ReadingEnded('reading ended early', { cause }))
  const exited = (): void => reject(new ReadingEnded('reading ended without an answer'))
  thread.once('message', resolve).once('error', failed).once('exit', exited)
  thread.postMessage(files)
  return promise.finally(() => thread.off('message', resolve).off('error', failed).off('exit', exited))
}

/** Never once it is over. */
const aborted = (signal: AbortSignal, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true, signal: over })
  })

function endedLate(): never {
  throw new ReadingEnded('reading took too long')
}
