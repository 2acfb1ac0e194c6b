import type { CloseReason } from '#/close-codes.ts'
import type { Frame } from '#/frame.ts'
import type { Peer } from '#/peer.ts'

/** A client that keeps what it was sent. For tests of this package. */
export interface FakePeer extends Peer {
  /** Messages since the last look, as values. */
  take(): readonly unknown[]
  readonly closed: CloseReason | undefined
}

export function fakePeer(socketId: string, address = '192.0.2.1'): FakePeer {
  let frames: Frame[] = []
  let closed: CloseReason | undefined
  return {
    socketId,
    address,
    send: (frame) => void frames.push(frame),
    close: (reason) => void (closed = reason),
    take: () => {
      const texts = frames.map(({ text }) => readJson(text))
      frames = []
      return texts
    },
    get closed() {
      return closed
    },
  }
}

const readJson = (text: string): unknown => JSON.parse(text)
