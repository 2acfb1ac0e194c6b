/** An error that the person at the console can resolve; printed as one sentence, without a stack. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** What to do about it. */
  readonly next: string | undefined
  constructor(message: string, next?: string, cause?: unknown) {
    super(message, { cause })
    this.next = next
  }
}
