import { type ChannelKind, channelKind } from '#/channel-name.ts'
import type { Frame } from '#/frame.ts'
import type { Peer } from '#/peer.ts'
import { Roster } from '#/roster.ts'

/** Who gets what is sent to a channel. */
export interface Subscriber {
  readonly peer: Pick<Peer, 'send'>
}

/** A channel that has subscribers, or an event to replay. */
export class Channel {
  readonly name: string
  readonly kind: ChannelKind
  readonly subscribers = new Set<Subscriber>()
  readonly roster: Roster | undefined
  /** The last server event of a cache channel. */
  cached: { readonly frame: Frame; readonly data: string; readonly until: number } | undefined

  constructor(name: string) {
    this.name = name
    this.kind = channelKind(name)
    this.roster = this.kind.access === 'presence' ? new Roster() : undefined
  }

  send(frame: Frame, except?: Subscriber): void {
    for (const subscriber of this.subscribers) if (subscriber !== except) subscriber.peer.send(frame)
  }
}
