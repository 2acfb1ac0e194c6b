/**
 * What became of the finished steps: `complete` undone, `incomplete` because an undo failed too,
 * `none` because the commit point was passed and the record waits for the identical request.
 */
export type Cleanup = 'complete' | 'incomplete' | 'none'

/** A list that stopped. `cause` is the step's own error, whatever happened while undoing. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  /** The step at which forward work stopped. */
  readonly step: string
  readonly cleanup: Cleanup
  /** Why undoing stopped; its `step` and those before it are still in place. */
  readonly undoFailure: UndoFailure | undefined

  constructor(step: string, cause: unknown, cleanup: Cleanup, undoFailure?: UndoFailure) {
    super(`step ${step} failed`, { cause })
    this.step = step
    this.cleanup = cleanup
    this.undoFailure = undoFailure
  }
}

export interface UndoFailure {
  readonly step: string
  readonly cause: unknown
}
