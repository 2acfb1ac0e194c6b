/** Ends a turn. Calling it twice does nothing more. */
export type EndTurn = () => void

/** Turns by name within this process, first come, first served; a waiter may leave the queue. */
export class LockQueue {
  readonly #queues = new Map<string, (() => void)[]>()

  /** Resolves with the end of the turn, or with undefined once `leave` aborts. Takes a free name at once, whatever the signal. */
  take(name: string, leave: AbortSignal): Promise<EndTurn | undefined> {
    const queue = this.#queues.get(name)
    if (!queue) {
      this.#queues.set(name, [])
      return Promise.resolve(this.#turn(name))
    }
    if (leave.aborted) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const enter = (): void => {
        leave.removeEventListener('abort', quit)
        resolve(this.#turn(name))
      }
      const quit = (): void => {
        queue.splice(queue.indexOf(enter), 1)
        resolve(undefined)
      }
      queue.push(enter)
      leave.addEventListener('abort', quit, { once: true })
    })
  }

  #turn(name: string): EndTurn {
    let ended = false
    return () => {
      if (ended) return
      ended = true
      const next = this.#queues.get(name)?.shift()
      if (next) next()
      else this.#queues.delete(name)
    }
  }
}
