/**
 * One message on its way to any number of recipients. It is written once: whoever carries it to sockets keeps its encoded
 * form in `encoded`, so that the second recipient costs no work.
 */
export class Frame {
  readonly text: string
  /** Belongs to the carrier. */
  encoded: Buffer | undefined

  constructor(text: string) {
    this.text = text
  }
}

/** A message of the server whose data is a value: it travels as JSON inside JSON. */
export const serverFrame = (event: string, data: unknown, channel?: string): Frame =>
  new Frame(
    JSON.stringify({ event, ...(channel === undefined ? {} : { channel }), data: JSON.stringify(data) }),
  )

/** The same for data that is JSON text already. */
export const serverTextFrame = (event: string, json: string, channel: string): Frame =>
  new Frame(JSON.stringify({ event, channel, data: json }))

/** An event from the HTTP API: its data is the text that the publisher gave. */
export const publishedFrame = (event: string, channel: string, data: string): Frame =>
  new Frame(JSON.stringify({ event, channel, data }))

/** A client event: its data is what the client sent, and on presence channels it has the id of its user. */
export const relayedFrame = (event: string, channel: string, data: unknown, userId?: string): Frame =>
  new Frame(JSON.stringify({ event, channel, data, ...(userId === undefined ? {} : { user_id: userId }) }))

export const errorFrame = (message: string, code: number | null): Frame =>
  new Frame(JSON.stringify({ event: 'pusher:error', data: { message, code } }))

export const subscriptionErrorFrame = (channel: string, error: string, status: number): Frame =>
  new Frame(
    JSON.stringify({
      event: 'pusher:subscription_error',
      channel,
      data: { type: 'AuthError', error, status },
    }),
  )

export const pingFrame = (): Frame => new Frame('{"event":"pusher:ping","data":"{}"}')
export const pongFrame = (): Frame => new Frame('{"event":"pusher:pong","data":"{}"}')
