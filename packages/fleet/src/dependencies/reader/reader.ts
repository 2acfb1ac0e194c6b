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

/** Small projects are read at once; larger ones in a thread of their own, so that no other request waits for them. */
export const makeProjectReader =
  (clock: Clock, limits: ThreadLimits = LIMITS): ProjectReader =>
  async (files, signal) => {
    const size = Object.values(files).reduce((sum, content) => sum + content.length, 0)
    return size <= INLINE_BYTES ? readDependencies(files) : readInThread(files, signal, clock, limits)
  }

async function readInThread(
  files: SourceFiles,
  signal: AbortSignal,
  clock: Clock,
  { timeoutSeconds, heapMegabytes }: ThreadLimits,
): Promise<Dependencies> {
  const worker = new Worker(new URL('thread.ts', import.meta.url), {
    workerData: files,
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  })
  using timer = clock.timer(timeoutSeconds * 1000)
  const answered = answerOf(worker)
  try {
    return await Promise.race([answered, timer.over.then(endedLate), aborted(signal).then(endedLate)])
  } finally {
    // The thread that is ended has no answer any more, which nobody waits for.
    answered.catch(() => undefined)
    await worker.terminate()
  }
}

const answerOf = (worker: Worker): Promise<Dependencies> =>
  new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', (cause) => reject(new ReadingEnded('reading ended early', { cause })))
    worker.once('exit', () => reject(new ReadingEnded('reading ended without an answer')))
  })

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

function endedLate(): never {
  throw new ReadingEnded('reading took too long')
}
