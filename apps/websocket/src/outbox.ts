import { nextTurn } from '@fleet/kernel'

/** Something with messages that wait to be written. */
export interface Sender {
  flush(): void
}

/**
 * Collects everyone who has something to write and lets them write once the events that were ready are handled: however
 * many messages one turn brings, a socket is written to once.
 */
export class Outbox {
  #waiting: Sender[] = []
  #scheduled = false

  add(sender: Sender): void {
    this.#waiting.push(sender)
    if (this.#scheduled) return
    this.#scheduled = true
    void nextTurn().then(() => this.#flush())
  }

  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#scheduled = false
    for (const sender of waiting) sender.flush()
  }
}
