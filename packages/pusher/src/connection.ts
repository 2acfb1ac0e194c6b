import type { Channel } from '#/channel.ts'
import type { Member } from '#/roster.ts'
import type { Peer } from '#/peer.ts'
import { SecondRate } from '#/second-rate.ts'

/** A user who signed in. */
export interface SignedInUser {
  readonly id: string
  readonly watchlist: readonly string[]
}

/** One connected client: what it subscribed to and who it is. */
export class Connection {
  readonly peer: Peer
  /** Ticks of the clock when it was greeted. */
  readonly since: number
  /** Channel to the member it is there; undefined on channels without members. */
  readonly memberships = new Map<Channel, Member | undefined>()
  user: SignedInUser | undefined
  readonly clientEvents = new SecondRate()

  constructor(peer: Peer, since: number) {
    this.peer = peer
    this.since = since
  }
}
