import type { PusherMessage } from '@fleet/pusher-client'
import { isObject, type Json } from '#/print/value.ts'

/**
 * The envelope that the gateway published on the channel; undefined for everything else. An event of another client has a
 * name of its own kind, and the gateway names each message after the type inside it.
 */
export const publishedOn = (
  channel: string,
  { channel: from, event, data }: Pick<PusherMessage, 'channel' | 'event' | 'data'>,
): Json | undefined =>
  from === channel && !event.startsWith('client-') && isObject(data) && data['type'] === event
    ? data
    : undefined
