import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** About 16 MiB of log under the load of many small commits. */
export const COMMITS_PER_CHECKPOINT = 200

/**
 * Copies the write-ahead log into a SQLite file on a thread of its own. SQLite would do it at the end of some commit and
 * wait there for the disk, with every request of this process behind it.
 */
export class Checkpoints {
  readonly #path: string
  #commits = 0
  #thread: Worker | undefined
  #running: Promise<void> | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Counts a commit; every few hundred begin a checkpoint. */
  committed(): void {
    this.#commits += 1
    if (this.#commits < COMMITS_PER_CHECKPOINT || this.#running) return
    this.#commits = 0
    this.#running = this.#checkpoint().finally(() => {
      this.#running = undefined
    })
  }

  /** Waits for a checkpoint that runs and ends the thread, so that the last connection to close is the caller's. */
  async close(): Promise<void> {
    this.#thread?.ref()
    await this.#running
    await this.#thread?.terminate()
  }

  async #checkpoint(): Promise<void> {
    const thread = (this.#thread ??= new Worker(new URL('checkpoint-thread.ts', import.meta.url), {
      workerData: this.#path,
    }))
    thread.unref()
    thread.postMessage('checkpoint')
    try {
      await once(thread, 'message')
    } catch {
      // A thread that could not open the file is restarted for the next checkpoint.
      this.#thread = undefined
    }
  }
}
