import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'

/** Name of the channel of all record events, as clients subscribe to it (decisions 13). */
export const FEED_CHANNEL = 'fleet'

export const realtimeShow = operation({
  name: 'realtime:show',
  group: 'Realtime',
  method: 'GET',
  path: '/realtime',
  access: 'gateway',
  input: z.strictObject(none),
  output: z.strictObject({
    /** `wss://…`; null without an active `websocket` role. */
    url: z.string().nullable(),
    /** Public key of the application; null without an active `websocket` role. */
    key: z.string().nullable(),
    channel: z.literal(FEED_CHANNEL),
  }),
  summary: 'Show how to connect to the live feed',
  description:
    'The server uses the Pusher protocol. `url` and `key` are null while no Node has the active role `websocket`.',
})

const authInput = z.strictObject({
  socket_id: z.string().regex(/^\d+\.\d+$/, 'must be digits, a dot and digits'),
  channel_name: z.string().min(1),
})
/** `channel_data` for presence channels only. */
const authOutput = z.strictObject({ auth: z.string(), channel_data: z.string().optional() })
const authErrors = ['realtime.not_configured', 'broadcast.channel_forbidden'] as const
const authDescription =
  'Signs `private-fleet` (also as `fleet`) and, as `viewer.{socket id}`, membership of `presence-node.{id}`. Nothing else.'

export const broadcastingAuthorize = operation({
  name: 'broadcasting:authorize',
  group: 'Realtime',
  method: 'POST',
  path: '/broadcasting/auth',
  access: 'gateway',
  input: authInput,
  output: authOutput,
  errors: authErrors,
  tool: false,
  takesForm: true,
  summary: 'Authorize a subscription to the live feed',
  description: `${authDescription} A form-encoded body, as Pusher clients send it, gets \`{auth, channel_data?}\` without the envelope.`,
})

export const broadcastingShow = operation({
  name: 'broadcasting:show',
  group: 'Realtime',
  method: 'GET',
  path: '/broadcasting/auth',
  access: 'gateway',
  input: authInput,
  output: authOutput,
  errors: authErrors,
  tool: false,
  summary: 'Authorize a subscription to the live feed with a GET request',
  description: authDescription,
})

export const realtimeOperations = { realtimeShow, broadcastingAuthorize, broadcastingShow }
