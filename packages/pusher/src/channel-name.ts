import { PUSHER_LIMITS } from '#/limits.ts'

/** What a channel's name decides about it. */
export interface ChannelKind {
  readonly access: 'public' | 'private' | 'presence'
  /** Replays its last server event to every new subscriber. */
  readonly cache: boolean
  /** Its events are sealed between publisher and subscribers; the server cannot read them. */
  readonly encrypted: boolean
}

const NAME = /^[A-Za-z0-9_\-=@,.;]+$/
const USER = /^#server-to-user-.+$/s

/** Whether a client or a publisher may name the channel. */
export const isChannelName = (name: string): boolean =>
  name.length > 0 && name.length <= PUSHER_LIMITS.channelCharacters && NAME.test(name)

/** The channel on which everything for one signed-in user travels; nobody subscribes to it by hand. */
export const userChannel = (userId: string): string => `#server-to-user-${userId}`
export const isUserChannel = (name: string): boolean => USER.test(name)
export const userOfChannel = (name: string): string => name.slice('#server-to-user-'.length)

export function channelKind(name: string): ChannelKind {
  if (name.startsWith('presence-'))
    return { access: 'presence', cache: name.startsWith('presence-cache-'), encrypted: false }
  if (name.startsWith('private-')) {
    const encrypted = name.startsWith('private-encrypted-')
    const cache = name.startsWith(encrypted ? 'private-encrypted-cache-' : 'private-cache-')
    return { access: 'private', cache, encrypted }
  }
  return { access: 'public', cache: name.startsWith('cache-'), encrypted: false }
}
