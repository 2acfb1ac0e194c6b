import * as z from 'zod'
import { id } from '../params.ts'

/** How an agent reaches the realtime service of the fleet (AGT-002, AGT-003). */
export const agentRealtime = z.strictObject({
  url: z.string().nullable(),
  /** Tunnel address of the Node with the `websocket` role. */
  address: z.string().nullable(),
  /** Null without a `websocket` role: there is nothing to join. */
  key: z.string().nullable(),
  channel: z.string(),
  log_channel: z.string(),
  member: z.string(),
})

/** A checkout that an agent watches (AGT-005). */
export const agentWorkspace = z.strictObject({
  instance_id: id,
  path: z.string(),
  /** Default branch that the workspace is compared with. */
  base: z.string(),
  /** Commit that the Instance began with: 40 hexadecimal characters, 64 in a repository with SHA-256 objects. */
  start: z.string().nullable(),
})

/** A live log that an agent reads (AGT-006, AGT-007). */
export const agentLogStream = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{32}$/),
  lines: z.int().min(0),
  source: z.discriminatedUnion('type', [
    // The checkout and every component of the path below it may be no link.
    z.strictObject({ type: z.literal('laravel'), path: z.string(), checkout: z.string() }),
    z.strictObject({ type: z.literal('journal'), unit: z.string() }),
    z.strictObject({ type: z.literal('docker'), container: z.string(), process_id: id }),
  ]),
})

/** The protocol's own answer, without an envelope. */
export const channelSignature = z.strictObject({ auth: z.string(), channel_data: z.string() })

export const AGENT_WORKSPACES_MAX = 64
export const AGENT_LOG_STREAMS_MAX = 16
