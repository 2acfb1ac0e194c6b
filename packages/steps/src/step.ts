/** One named part of a longer piece of work. */
export interface Step<C> {
  readonly name: string
  /**
   * The commit point: before it is done a failure undoes everything, afterwards the work only goes forward.
   * At most one step of a list has it; without one the whole list can be undone.
   */
  readonly commits?: true
  /** Must be safe to run twice: a crash between the work and its record repeats it. */
  run(context: C): Promise<void>
  /**
   * Takes back what run() did, in whole, in part or not at all; must be safe to run twice.
   * Omitted when the step changes nothing that outlives it.
   */
  undo?(context: C): Promise<void>
}

export type StepEvent = 'started' | 'done' | 'failed' | 'undoing' | 'undone' | 'undo_failed'

export interface StepProgress {
  /** Steps that are done and not undone. */
  readonly done: readonly string[]
  /** Steps whose run or undo began and is not recorded as finished: their effect is not known, so they run again. */
  readonly begun: readonly string[]
}

/** The record of a piece of work, kept in its own row. Each event is stored before the call resolves. */
export interface StepLog {
  progress(): Promise<StepProgress>
  record(step: string, event: StepEvent): Promise<void>
}
