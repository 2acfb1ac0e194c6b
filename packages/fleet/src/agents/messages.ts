import * as z from 'zod'

/** Limits of what one Node may report; a message beyond them is not accepted as an agent's (AGT-039). */
export const AGENT_UNITS_MAX = 4096
export const AGENT_PARTS_MAX = 512
const WORKSPACES_MAX = 64
/** An empty line costs three bytes of the 10,000 that a message may have (LIM-012). */
const LINES_MAX = 3333
/** LOGS-016: 8 KiB and the mark of a cut. Counted in UTF-16 units, of which a text never has more than bytes. */
const LINE_MAX_UNITS = 8192 + '[truncated]'.length

const sequence = z.int().min(1)
/** Of the agent's own clock, which is only shown and never compared (AG-026). */
const at = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|\+00:00)$/)
const stamped = { sequence, at }
const parts = { part: z.int().min(1), parts: z.int().min(1).max(AGENT_PARTS_MAX) }
const isWithinParts = (message: { readonly part: number; readonly parts: number }): boolean =>
  message.part <= message.parts
const count = z.int().min(0)
const commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)
const stream = z.string().regex(/^[0-9a-f]{32}$/)

/** A unit or container as the agent sees it (AG-032). States of systemd and Docker are theirs, so their words are not listed. */
export const agentUnit = z.object({
  name: z.string().regex(/^[A-Za-z0-9:_.@\\-]{1,255}$/),
  runtime: z.enum(['systemd', 'docker']),
  runtime_status: z.string().regex(/^[a-z][a-z-]{0,31}$/),
})

/** State of one task checkout (AG-033, AGT-023 to AGT-029). */
export const agentWorkspaceState = z.object({
  instance_id: z.int().min(1),
  base: z.string().min(1).max(255),
  start: commit.nullable(),
  branch: z.string().min(1).max(255).nullable(),
  head: commit.nullable(),
  dirty: z.boolean().nullable(),
  commits: count.max(1000).nullable(),
  diff: z
    .object({ files: count, added: count.nullable(), removed: count.nullable(), truncated: z.boolean() })
    .nullable(),
})

/** Every message of an agent by the name of its event; members beyond these are of a newer agent and left out. */
export const agentMessages = {
  'client-heartbeat': z.object(stamped),
  'client-snapshot': z
    .object({
      ...stamped,
      docker: z.enum(['available', 'absent']),
      ...parts,
      units: z.array(agentUnit).max(AGENT_UNITS_MAX),
    })
    .refine(isWithinParts),
  'client-process': z.object({ ...stamped, unit: agentUnit }),
  'client-workspaces': z
    .object({ ...stamped, ...parts, workspaces: z.array(agentWorkspaceState).max(WORKSPACES_MAX) })
    .refine(isWithinParts),
  'client-workspace': z.object({ ...stamped, workspace: agentWorkspaceState }),
  'client-log': z.object({
    stream,
    sequence,
    lines: z
      .array(
        z
          .string()
          .max(LINE_MAX_UNITS)
          .regex(/^[^\n]*$/),
      )
      .max(LINES_MAX),
    dropped: count,
    skipped: count,
  }),
  'client-log-end': z.object({ stream, reason: z.enum(['source_unavailable', 'list_unavailable']) }),
} as const

export type AgentEvent = keyof typeof agentMessages
export type AgentMessageData<E extends AgentEvent> = z.output<(typeof agentMessages)[E]>
export type AgentUnit = z.output<typeof agentUnit>
export type AgentWorkspaceState = z.output<typeof agentWorkspaceState>

/** One parsed message of an agent. */
export type AgentMessage = {
  [E in AgentEvent]: { readonly event: E; readonly data: AgentMessageData<E> }
}[AgentEvent]
export type AgentLogMessage = Extract<AgentMessage, { readonly event: 'client-log' | 'client-log-end' }>
export type AgentStateMessage = Exclude<AgentMessage, AgentLogMessage>

/** Undefined for everything that is no message of an agent; it never throws. */
export function readAgentMessage(event: string, data: unknown): AgentMessage | undefined {
  if (!Object.hasOwn(agentMessages, event)) return undefined
  const name = event as AgentEvent // One of the table's own keys.
  const parsed = agentMessages[name].safeParse(data)
  return parsed.success ? ({ event: name, data: parsed.data } as AgentMessage) : undefined // The schema of that name has parsed it.
}
