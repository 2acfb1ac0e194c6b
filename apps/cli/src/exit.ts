/** Exit statuses of every command. */
export const EXIT = {
  ok: 0,
  /** The gateway refused the request, or the request failed. */
  refused: 1,
  /** The command line is wrong; nothing was sent. */
  usage: 2,
  /** The gateway did not answer, or is not the one that is trusted. */
  unreachable: 3,
  /** Ctrl-C. */
  interrupted: 130,
  /** Nobody reads standard output any more, and the outcome of the change is not known yet. */
  unread: 141,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export interface ClientErrorOptions {
  readonly exit?: ExitCode
  /** What to do now, as a sentence or a command. */
  readonly next?: string | undefined
  readonly cause?: unknown
}

/** Something that this client found by itself; its codes never come from the gateway (GW-055, NODE-112). */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: string
  readonly exit: ExitCode
  readonly next: string | undefined

  constructor(code: string, message: string, options: ClientErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.exit = options.exit ?? EXIT.unreachable
    this.next = options.next
  }
}

/** The command line cannot be understood. */
export const usage = (message: string, next?: string): ClientError =>
  new ClientError('usage', message, { exit: EXIT.usage, next })
