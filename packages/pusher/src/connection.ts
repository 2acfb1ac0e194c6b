import type { Channel } from '#/channel.ts'
import type { Member } from '#/roster.ts'
import type { Peer } from '#/peer.ts'

/** A user who signed in. */
export interface SignedInUser {
  readonly id: string
  readonly watchlist: readonly string[]
}

/** One connected client: what it subscribed to and who it is. */
export class Connection {
  readonly peer: Peer
  /** Channel to the member it is there; undefined on channels without members. */
  readonly memberships = new Map<Channel, Member | undefined>()
  user: SignedInUser | undefined
  /** The second, by the server's clock, in which `clientEvents` were counted. */
  #second = 0
  #clientEvents = 0

  constructor(peer: Peer) {
    this.peer = peer
  }

  /** Counts a client event; false when this second has had as many as it may. */
  mayTell(milliseconds: number, perSecond: number): boolean {
    const second = Math.floor(milliseconds / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#clientEvents = 0
    }
    this.#clientEvents += 1
    return this.#clientEvents <= perSecond
  }
}
