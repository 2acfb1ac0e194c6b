/** One named part of a longer piece of work. */
export interface Step<C> {
  readonly name: string
  /**
   * The commit point: before it is done a failure undoes everything, afterwards the work only goes forward.
   * At most one step of a list has it; without one the whole list can be undone.
   */
  readonly commits?: true
  /** The work counts without it: a failure is recorded as `missed`, reported, and the list continues. */
  readonly isOptional?: boolean
  /**
   * Must be safe to run twice: a crash between the work and its record repeats it. `skipped` says that there was nothing
   * it could do here, which counts as done.
   */
  run(context: C): Promise<StepResult>
  /**
   * Reverses what run() did, in whole, in part or not at all; must be safe to run twice.
   * Omitted when the step changes nothing that outlives it.
   */
  undo?(context: C): Promise<void>
}

// `void` and not `undefined`: most steps are functions of the domain that answer nothing.
export type StepResult = 'skipped' | void

/** `missed`: an optional step that failed. */
export type StepEvent = 'started' | 'done' | 'missed' | 'failed' | 'undoing' | 'undone' | 'undo_failed'

export interface StepProgress {
  /** Steps that are finished (done or missed) and not undone. */
  readonly done: readonly string[]
  /** Steps whose run or undo began and is not recorded as finished: their effect is not known, so they run again. */
  readonly begun: readonly string[]
}

/** The record of a piece of work, kept in its own row. Each event is stored before the call resolves. */
export interface StepLog {
  progress(): Promise<StepProgress>
  /** `cause` is the error of `missed`, `failed` and `undo_failed`. */
  record(step: string, event: StepEvent, cause?: unknown): Promise<void>
}

/** What somebody who watches the work sees of a step. */
export type StepStatus = 'started' | 'done' | 'failed' | 'skipped'
