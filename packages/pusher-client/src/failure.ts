export type FailureCode =
  /** Nothing arrived in time. */
  | 'timeout'
  /** No connection to the address, or no WebSocket server there. */
  | 'unreachable'
  /** The server did not prove its name by the trusted authority. */
  | 'untrusted'
  /** The server spoke against it: `closeCode` or `status` says with which number. */
  | 'refused'
  /** The connection ended, or its owner ended it. */
  | 'closed'
  /** The message is longer than the protocol allows. */
  | 'message_too_large'

/** Why a connection, a subscription or a message came to nothing. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure'
  readonly code: FailureCode
  /** Of the protocol, where the server closed: 4000 to 4099 never again, 4100 to 4199 later, 4200 to 4299 at once. */
  readonly closeCode: number | undefined
  /** As in HTTP, where the server refused a subscription. */
  readonly status: number | undefined

  constructor(
    code: FailureCode,
    facts: {
      readonly closeCode?: number | undefined
      readonly status?: number | undefined
      readonly cause?: unknown
    } = {},
  ) {
    super(`realtime: ${code}`, { cause: facts.cause })
    this.code = code
    this.closeCode = facts.closeCode
    this.status = facts.status
  }
}

/** Errors of TLS carry names such as SELF_SIGNED_CERT_IN_CHAIN or ERR_TLS_CERT_ALTNAME_INVALID. */
export function connectFailure(error: unknown): ConnectionFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const untrusted = /CERT|ALTNAME|VERIFY|SIGNATURE/.test(code)
  return new ConnectionFailure(untrusted ? 'untrusted' : 'unreachable', { cause: error })
}
