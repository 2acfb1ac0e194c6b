import { pingFrame } from '@fleet/pusher'
import type { SocketPeer } from './socket-peer.ts'

export interface LivenessLimits {
  readonly activityMilliseconds: number
  readonly pongMilliseconds: number
}

/**
 * Asks a client that was silent for the activity time, and ends one that did not answer. One walk over all clients does
 * it, so a client costs no timer.
 */
export function checkLiveness(peer: SocketPeer, now: number, limits: LivenessLimits): void {
  if (peer.askedAt !== undefined) {
    if (now - peer.askedAt >= limits.pongMilliseconds) peer.close('pongMissing')
    return
  }
  if (now - peer.lastSeen < limits.activityMilliseconds) return
  peer.askedAt = now
  peer.send(pingFrame())
}

/** Anything that a client sends proves that it is there. */
export function noteLife(peer: SocketPeer, now: number): void {
  peer.lastSeen = now
  peer.askedAt = undefined
}
