import * as z from 'zod'
import { logStreamClosed, logStreamOpened, logStreamRenewed } from './records.ts'

/** What the streams of Instances and of Processes have in common; the records that they are about differ. */
const common = { group: 'Logs', tool: false } as const

const wanted = {
  socket_id: z
    .string()
    .regex(/^\d+\.\d+$/, 'must be digits, a dot and digits')
    .describe('Socket id of the connection that will subscribe to the stream.'),
  lines: z.int().min(1).max(1000).default(100).describe('Number of existing lines to send first.'),
}

export const opening = {
  ...common,
  method: 'POST',
  creates: 'always',
  output: logStreamOpened,
  errors: ['logs.live_unavailable', 'logs.stream_limit'],
} as const
export const renewing = { ...common, method: 'PUT', output: logStreamRenewed, unrecorded: true } as const
export const closing = { ...common, method: 'DELETE', output: logStreamClosed } as const

export const openInput = wanted
// Any text: what is no id is no stream, and that is 404.
export const streamInput = { stream: z.string() }

export const openDescription =
  'The stream waits until it is renewed for the first time: subscribe to `channel` with `auth`, then renew, and again every 20 s. ' +
  'It is kept in the memory of this gateway: after a restart, open another one.'
