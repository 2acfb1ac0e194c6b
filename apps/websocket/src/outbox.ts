import { nextTurn } from '@fleet/kernel'
import { Joined } from './joined.ts'

/** Something with messages that wait to be written. */
export interface Sender {
  /** What several senders wait to write alike is joined once. */
  flush(joined: Joined): void
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
    // Let go of when all have written.
    const joined = new Joined()
    for (const sender of waiting) sender.flush(joined)
  }
}
