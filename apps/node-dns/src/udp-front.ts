import type { RemoteInfo, Socket } from 'node:dgram'
import { guarded } from '@fleet/kernel'
import type { InHand } from './in-hand.ts'
import type { Forward, Respond } from './responder.ts'

export interface UdpFrontDeps {
  readonly respond: Respond
  readonly forward: Forward
  readonly inHand: InHand
}

/** Answers what comes in over UDP. */
export function answerUdp(socket: Socket, { respond, forward, inHand }: UdpFrontDeps): void {
  let isClosed = false
  socket.on('close', () => (isClosed = true))
  const answer = (message: Buffer, { address, port }: RemoteInfo): void => {
    const send = (reply: Buffer): void => {
      // A requester that is gone is no reason to stop for the others.
      if (!isClosed) socket.send(reply, port, address, () => undefined)
    }
    const reply = respond(message, address, forward)
    if (reply instanceof Promise) inHand.add(reply.then(send))
    else if (reply) send(reply)
  }
  // A datagram has no connection that could be ended: it stays unanswered.
  socket.on(
    'message',
    guarded(answer, () => undefined),
  )
  // Linux reports there that an earlier requester had closed its port.
  socket.on('error', () => undefined)
}
