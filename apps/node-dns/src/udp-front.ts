import type { Socket } from 'node:dgram'
import type { InHand } from './in-hand.ts'
import type { Forward, Respond } from './responder.ts'

export interface UdpFrontParts {
  readonly respond: Respond
  readonly forward: Forward
  readonly inHand: InHand
}

/** Answers what comes in over UDP. */
export function answerUdp(socket: Socket, { respond, forward, inHand }: UdpFrontParts): void {
  let isClosed = false
  socket.on('close', () => (isClosed = true))
  socket.on('message', (message, { address, port }) => {
    const send = (reply: Buffer): void => {
      // A requester that is gone is no reason to stop for the others.
      if (!isClosed) socket.send(reply, port, address, () => undefined)
    }
    const reply = respond(message, address, forward)
    if (reply instanceof Promise) inHand.add(reply.then(send))
    else if (reply) send(reply)
  })
  // Linux reports there that an earlier requester had closed its port.
  socket.on('error', () => undefined)
}
