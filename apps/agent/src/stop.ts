/** Why an agent cannot run. Its text is a whole sentence without any content of a file. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun'
  readonly exitStatus: number
  constructor(message: string, exitStatus: number, cause?: unknown) {
    super(message, { cause })
    this.exitStatus = exitStatus
  }
}

/** As sysexits.h has them. */
export const EXIT = { usage: 64, unusableConfiguration: 78, alreadyRunning: 75 } as const
