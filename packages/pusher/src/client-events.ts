import type { AppState } from '#/app-state.ts'
import type { ClientMessage } from '#/client-message.ts'
import { errorCodes } from '#/close-codes.ts'
import type { Connection } from '#/connection.ts'
import { errorFrame, relayedFrame } from '#/frame.ts'
import { PUSHER_LIMITS } from '#/limits.ts'

type ClientEvent = Extract<ClientMessage, { readonly kind: 'client-event' }>

/**
 * Passes an event from one subscriber of a private or presence channel to the others, with its user's id on presence
 * channels (AG-016, AG-017). The sender does not get it back.
 */
export function relayClientEvent(
  app: AppState,
  connection: Connection,
  { event, channel: name, data }: ClientEvent,
): void {
  const refuse = (why: string): void => connection.peer.send(errorFrame(why, errorCodes.clientEventRejected))
  if (event.length > PUSHER_LIMITS.eventCharacters)
    return refuse(`An event name may have at most ${PUSHER_LIMITS.eventCharacters} characters.`)
  const channel = app.channels.find(name)
  if (!channel || !connection.memberships.has(channel))
    return refuse('Client events may be sent to subscribed channels only.')
  if (channel.kind.access === 'public') return refuse('Client events need a private or presence channel.')
  if (!app.settings.takesClientEvents(name)) return refuse('This channel takes no client events.')
  if (channel.kind.encrypted) return refuse('Client events cannot be sent to an encrypted channel.')
  if (!connection.clientEvents.take(app.settings.clock.ticks(), app.settings.clientEventsPerSecond))
    return refuse('Too many client events in one second; this one was dropped.')
  channel.send(relayedFrame(event, name, data, connection.memberships.get(channel)?.userId), connection)
}
