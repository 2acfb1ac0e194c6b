/**
 * What became of the finished steps: `complete` undone, `incomplete` because an undo failed too, `none` because nothing may
 * be undone: the commit point was passed, the failure is `kept`, or the work is `lost` to somebody else.
 */
export type Cleanup = 'complete' | 'incomplete' | 'none'

/**
 * What an error means for the list. `ordinary`: undone before the commit point, and an optional step is passed over.
 * `final`: undone as well, but it ends the list in an optional step too, such as the deadline of a request. `kept`: recorded
 * and not undone, the identical request resumes here. `lost`: somebody else has the work by now, so nothing is recorded.
 */
export type FailureKind = 'ordinary' | 'final' | 'kept' | 'lost'

export interface UndoFailure {
  readonly step: string
  readonly cause: unknown
}

/** An optional step that failed. */
export interface MissedStep {
  readonly step: string
  readonly cause: unknown
}

interface Stopped {
  readonly kind: FailureKind
  readonly cleanup: Cleanup
  readonly undoFailure?: UndoFailure | undefined
  readonly recordFailure?: unknown
}

/** A list that stopped. `cause` is the step's own error, whatever happened while undoing. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  /** The step at which forward work stopped. */
  readonly step: string
  readonly kind: FailureKind
  readonly cleanup: Cleanup
  /** Why undoing stopped; its `step` and those before it are still in place. */
  readonly undoFailure: UndoFailure | undefined
  /** Why the log took no record of the failure or of the undoing: whatever the record says is from before. */
  readonly recordFailure: unknown

  constructor(step: string, cause: unknown, { kind, cleanup, undoFailure, recordFailure }: Stopped) {
    super(`step ${step} failed`, { cause })
    this.step = step
    this.kind = kind
    this.cleanup = cleanup
    this.undoFailure = undoFailure
    this.recordFailure = recordFailure
  }
}
