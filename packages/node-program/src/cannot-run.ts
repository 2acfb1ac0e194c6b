/** Why such a program cannot run. Its text is a whole sentence without any content of a file. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun'
  readonly exitStatus: number
  constructor(message: string, exitStatus: number, cause?: unknown) {
    super(message, { cause })
    this.exitStatus = exitStatus
  }
}

/** As sysexits.h has them. */
export const EXIT = { usage: 64, unavailable: 69, alreadyRunning: 75, unusableConfiguration: 78 } as const

/** Why a program does not run with the files it has. */
export const unusable = (message: string, cause?: unknown): CannotRun =>
  new CannotRun(message, EXIT.unusableConfiguration, cause)
