import { nextTurn } from '@fleet/kernel'
import { Batch } from './batch.ts'

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
  #begun: Batch | undefined

  /** Takes a sender whose first message of this turn is the frame. Answers the batch that it begins. */
  begin(sender: Sender, frame: Buffer): Batch {
    this.#waiting.push(sender)
    if (!this.#scheduled) {
      this.#scheduled = true
      void nextTurn().then(() => this.#flush())
    }
    if (this.#begun?.frame !== frame) this.#begun = new Batch(frame)
    return this.#begun
  }

  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#scheduled = false
    this.#begun = undefined
    for (const sender of waiting) sender.flush()
  }
}
