import type { CloseReason } from '#/close-codes.ts'
import type { Frame } from '#/frame.ts'

/** One client as the protocol sees it; a carrier puts sockets behind it. */
export interface Peer {
  /** Digits, a dot, digits; unique while the server runs. */
  readonly socketId: string
  /** IP address from which it connects. */
  readonly address: string
  /** Takes the frame or drops the client; it never throws and never waits. */
  send(frame: Frame): void
  /** Ends the connection with the code of the reason, after what was sent before. */
  close(reason: CloseReason): void
}
