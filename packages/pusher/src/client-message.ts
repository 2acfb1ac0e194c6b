/** What a client sent, read once. `data` of a client event stays what the client sent. */
export type ClientMessage =
  | { readonly kind: 'ping' }
  | { readonly kind: 'pong' }
  | {
      readonly kind: 'subscribe'
      readonly channel: string
      readonly auth: string | undefined
      readonly channelData: string | undefined
    }
  | { readonly kind: 'unsubscribe'; readonly channel: string }
  | { readonly kind: 'signin'; readonly auth: string; readonly userData: string }
  | {
      readonly kind: 'client-event'
      readonly event: string
      readonly channel: string
      readonly data: unknown
    }
  | { readonly kind: 'malformed'; readonly why: string }

const malformed = (why: string): ClientMessage => ({ kind: 'malformed', why })

/** Reads one text message. Whatever a client sends, this answers and never throws. */
export function readClientMessage(text: string): ClientMessage {
  const message = parseObject(text)
  if (!message) return malformed('A message is one JSON object.')
  const event = textOf(message, 'event')
  if (event === undefined) return malformed('A message needs the text `event`.')
  if (event.startsWith('client-')) return clientEvent(message, event)
  if (event === 'pusher:ping') return { kind: 'ping' }
  if (event === 'pusher:pong') return { kind: 'pong' }
  return command(event, dataOf(message))
}

function command(event: string, data: Fields | undefined): ClientMessage {
  if (!data) return malformed(`${event} needs the object \`data\`.`)
  if (event === 'pusher:signin') return signin(data)
  const channel = textOf(data, 'channel')
  if (event !== 'pusher:subscribe' && event !== 'pusher:unsubscribe')
    return malformed('The server does not know this event.')
  if (channel === undefined) return malformed(`${event} needs the text \`channel\`.`)
  if (event === 'pusher:unsubscribe') return { kind: 'unsubscribe', channel }
  const [auth, channelData] = [textOf(data, 'auth'), textOf(data, 'channel_data')]
  return { kind: 'subscribe', channel, auth, channelData }
}

function signin(data: Fields): ClientMessage {
  const [auth, userData] = [textOf(data, 'auth'), textOf(data, 'user_data')]
  return auth === undefined || userData === undefined
    ? malformed('pusher:signin needs the texts `auth` and `user_data`.')
    : { kind: 'signin', auth, userData }
}

function clientEvent(message: Fields, event: string): ClientMessage {
  const channel = textOf(message, 'channel')
  if (channel === undefined) return malformed('A client event needs the text `channel`.')
  return { kind: 'client-event', event, channel, data: message['data'] }
}

type Fields = Readonly<Record<string, unknown>>

/** `data` is an object, or, from older clients, its JSON text. */
function dataOf({ data }: Fields & { readonly data?: unknown }): Fields | undefined {
  return typeof data === 'string' ? parseObject(data) : asFields(data)
}

export function parseObject(text: string): Fields | undefined {
  try {
    return asFields(JSON.parse(text))
  } catch {
    return undefined
  }
}

const asFields = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields) // An object that is no array has fields.
    : undefined

export function textOf(fields: Fields, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' ? value : undefined
}
