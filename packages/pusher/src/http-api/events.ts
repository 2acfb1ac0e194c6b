import * as z from 'zod'
import type { App } from '#/app.ts'
import { isChannelName, isUserChannel } from '#/channel-name.ts'
import { type ApiAnswer, refusal } from '#/http-api/api-answer.ts'
import { channelFacts, readInfo } from '#/http-api/channels.ts'
import { PUSHER_LIMITS } from '#/limits.ts'

const eventName = z.string().min(1).max(PUSHER_LIMITS.eventCharacters)
const channelName = z
  .string()
  .refine((name) => isChannelName(name) || isUserChannel(name), 'is not a valid channel name')
const data = z.string()
const socketId = z
  .string()
  .regex(/^\d+\.\d+$/)
  .nullish()

const single = z.object({
  name: eventName,
  data,
  channel: channelName.optional(),
  channels: z.array(channelName).min(1).max(PUSHER_LIMITS.channelsPerEvent).optional(),
  socket_id: socketId,
  info: z.string().nullish(),
})
const batch = z.object({
  batch: z
    .array(
      z.object({
        name: eventName,
        data,
        channel: channelName,
        socket_id: socketId,
        info: z.string().nullish(),
      }),
    )
    .max(PUSHER_LIMITS.eventsPerBatch),
})

/** `POST /apps/{id}/events`: one event for up to 100 channels. */
export function publishEvent(app: App, body: Buffer): ApiAnswer {
  const given = read(single, body)
  if ('status' in given) return given
  const { name, data: text, channel, channels = channel === undefined ? [] : [channel] } = given
  if (channels.length === 0) return refusal(400, 'An event needs `channel` or `channels`.')
  if (channels.length > 1 && channels.some((one) => one.startsWith('private-encrypted-')))
    return refusal(400, 'An event of an encrypted channel goes to that channel alone.')
  if (isTooLong(text)) return tooLong
  app.publish({ name, data: text, channels, exceptSocketId: given.socket_id ?? undefined })
  const wanted = readInfo(given.info)
  if (wanted.length === 0) return { status: 200, body: {} }
  const facts = channels.map((one) => [one, channelFacts(app, one, wanted)] as const)
  return { status: 200, body: { channels: Object.fromEntries(facts) } }
}

/** `POST /apps/{id}/batch_events`: up to ten events, each for one channel; all of them or none. */
export function publishBatch(app: App, body: Buffer): ApiAnswer {
  const given = read(batch, body)
  if ('status' in given) return given
  if (given.batch.some((event) => isTooLong(event.data))) return tooLong
  const answers = given.batch.map((event) => {
    const { name, data: text, channel, socket_id, info } = event
    app.publish({ name, data: text, channels: [channel], exceptSocketId: socket_id ?? undefined })
    return channelFacts(app, channel, readInfo(info))
  })
  const asked = given.batch.some((event) => readInfo(event.info).length > 0)
  return { status: 200, body: asked ? { batch: answers } : {} }
}

const revocation = z.object({ addresses: z.array(z.string()) })

/** `POST /apps/{id}/addresses/terminate_connections`, which is this server's own: ends what these addresses may not have any more. */
export function revokeAddresses(app: App, body: Buffer): ApiAnswer {
  const given = read(revocation, body)
  if ('status' in given) return given
  app.revoke(new Set(given.addresses))
  return { status: 200, body: {} }
}

const isTooLong = (text: string): boolean => Buffer.byteLength(text) > PUSHER_LIMITS.messageBytes
const tooLong = refusal(413, `The data of an event can have at most ${PUSHER_LIMITS.messageBytes} bytes.`)

function read<T extends z.ZodType>(schema: T, body: Buffer): z.output<T> | ApiAnswer {
  const parsed = schema.safeParse(parseJson(body))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  return refusal(400, `${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'is not valid'}`)
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
