import { randomUUID } from 'node:crypto'
import type { Response } from './ask.ts'
import type { Gate } from './gate.ts'
import type { EmbeddedFleet } from './harness.ts'

/** One request of the API, the same each time it is sent. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

export interface Interrupted {
  readonly requestId: string
  /** Undefined when no answer came. */
  readonly answer: Response | undefined
  /** False when the request ended before the command with that number began. */
  readonly wasHeld: boolean
}

/** Sends a request and, when the Node begins its command number `at`, injects the fault. */
export async function interrupt(
  fleet: EmbeddedFleet,
  gate: Gate,
  at: number,
  asked: SentRequest,
  inject: (group: number) => Promise<void> | void,
): Promise<Interrupted> {
  const requestId = randomUUID()
  gate.arm(at)
  const ended = new AbortController()
  const sent = send(fleet, asked, requestId).finally(() => ended.abort())
  const wasHeld = await gate.reached(ended.signal).then(
    async (group) => {
      await inject(group)
      return true
    },
    (error: unknown) => {
      if (ended.signal.aborted) return false
      throw error
    },
  )
  const answer = await sent
  gate.open()
  return { requestId, answer, wasHeld }
}

async function send(
  fleet: EmbeddedFleet,
  { method, path, body }: SentRequest,
  requestId: string,
): Promise<Response | undefined> {
  try {
    return await fleet.ask(method, path, { body, headers: { 'x-fleet-request-id': requestId } })
  } catch {
    return undefined
  }
}

/** Up to `count` numbers from 1 to `last`, evenly spread, first and last included. */
export const spread = (count: number, last: number): readonly number[] => [
  ...new Set(Array.from({ length: count }, (_, index) => 1 + Math.round((index * (last - 1)) / (count - 1)))),
]
