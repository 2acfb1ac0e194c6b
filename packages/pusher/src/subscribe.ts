import type { AppState } from '#/app-state.ts'
import { channelKind, isChannelName } from '#/channel-name.ts'
import { type ClientMessage, parseObject } from '#/client-message.ts'
import type { Connection } from '#/connection.ts'
import { subscriptionErrorFrame } from '#/frame.ts'
import { PUSHER_LIMITS } from '#/limits.ts'
import type { Member } from '#/roster.ts'
import { channelAuth, sameText } from '#/signatures.ts'
import { userIdOf } from '#/user-id.ts'

type Subscription = Extract<ClientMessage, { readonly kind: 'subscribe' }>

const PRIVATE = { access: 'private' } as const

interface Refused {
  readonly error: string
  readonly status: number
}

/** Subscribes a client, or sends it the reason why not; the connection stays open either way. */
export function subscribe(app: AppState, connection: Connection, message: Subscription): void {
  const { channel } = message
  const admitted = admit(app, connection, message)
  if ('error' in admitted)
    return connection.peer.send(subscriptionErrorFrame(channel, admitted.error, admitted.status))
  app.channels.join(connection, channel, admitted.member)
}

function admit(
  app: AppState,
  connection: Connection,
  message: Subscription,
): Refused | { readonly member: Member | undefined } {
  const { channel, auth, channelData } = message
  if (!isChannelName(channel)) return { error: 'Not a valid channel name.', status: 400 }
  const known = app.channels.find(channel)
  const isOneMore = known === undefined || !connection.memberships.has(known)
  if (isOneMore && connection.memberships.size >= PUSHER_LIMITS.channelsPerConnection)
    return {
      error: `A connection can have at most ${PUSHER_LIMITS.channelsPerConnection} channels.`,
      status: 400,
    }
  const isAlias = Object.hasOwn(app.settings.privateAliases, channel)
  const { access } = isAlias ? PRIVATE : channelKind(channel)
  if (access === 'public') return { member: undefined }
  if (access === 'presence' && channelData === undefined)
    return { error: 'A presence channel needs channel_data.', status: 400 }
  const expected = channelAuth(
    app.settings,
    connection.peer.socketId,
    channel,
    // Laravel and others send channel_data for private channels too when they signed it.
    channelData,
  )
  if (auth === undefined || !sameText(auth, expected))
    return { error: 'The signature of this subscription is wrong or missing.', status: 401 }
  return access === 'private' ? { member: undefined } : memberOf(channelData ?? '')
}

function memberOf(channelData: string): Refused | { readonly member: Member } {
  const data = parseObject(channelData)
  const userId = userIdOf(data?.['user_id'])
  if (userId === undefined) return { error: 'channel_data needs a user_id.', status: 400 }
  return { member: { userId, userInfo: data?.['user_info'] } }
}
