import type { EventData, RecordEventType, WatchedStep } from '@fleet/contract'
import type { Deadline, Details } from '@fleet/kernel'
import type { CallLocks } from '#/locks/api.ts'

/** The calling Node. Absent only where an operation is public. */
export interface Caller {
  readonly id: number
  readonly name: string
  readonly address: string
  readonly isGateway: boolean
}

/** What a request writes into its Activity row besides its outcome. Values are redacted when stored (ACT-012). */
export interface ActivityNote {
  /** Null once the Node is no more. */
  target(nodeId: number | null): void
  subject(type: string, id: number | string): void
  property(name: string, value: unknown): void
  exitCode(code: number): void
}

/** One step of long work as a client that watches sees it. */
export interface StepProgress {
  readonly step: string
  readonly status: WatchedStep['status']
}

/** One line of a stream operation, written as it happens. */
export type Emit = (line: unknown) => Promise<void>

/** One request on its way through the fleet. Every helper that writes takes it, so nothing changes without its Activity. */
export interface Call {
  readonly requestId: string
  readonly operation: string
  readonly caller: Caller | undefined
  readonly deadline: Deadline
  /**
   * Aborts when the gateway stops for good. A client that goes away aborts only operations that the contract declares so
   * (`endsWithClient`), never a change of the fleet; the reason is then ClientGone.
   */
  readonly signal: AbortSignal
  /** The locks that the work holds. */
  readonly locks: CallLocks
  readonly note: ActivityNote
  /** For stream operations only. */
  readonly emit: Emit
  /**
   * Records that a change has happened. It is published only after the request has succeeded, in the order of
   * recording, each record once with its last data (EV-012, EV-083).
   */
  event<T extends RecordEventType>(type: T, data: EventData<T>): void
  /** Publishes at once what must be seen before the end of the request, as the start of a deployment (EV-056). Never fails the work. */
  publish<T extends RecordEventType>(type: T, data: EventData<T>): Promise<void>
  /** Sent to a client that watches; it never fails the work. */
  progress(progress: StepProgress): void
  /** A structured log line under this request id; never a value that came from a Node or a secret. */
  log(message: string, facts?: Details): void
}

/** The same call for what a transaction does: its events are kept, and `publish` sends them once it is committed. */
export function keepingEvents(call: Call): { readonly call: Call; publish(): Promise<void> } {
  const kept: Array<() => Promise<void>> = []
  return {
    call: { ...call, event: (type, data) => void kept.push(() => call.publish(type, data)) },
    publish: async () => {
      for (const send of kept) await send()
    },
  }
}

/** The same call with another deadline: its Activity, signal and stream stay the request's own. */
export const withDeadline = (call: Call, deadline: Deadline): Call => ({
  requestId: call.requestId,
  operation: call.operation,
  caller: call.caller,
  deadline,
  signal: call.signal,
  locks: call.locks,
  note: call.note,
  emit: (line) => call.emit(line),
  event: (type, data) => call.event(type, data),
  publish: (type, data) => call.publish(type, data),
  progress: (progress) => call.progress(progress),
  log: (message, facts) => call.log(message, facts),
})

/** The same call for what has to be read and stored even after it was aborted; its deadline still ends it. */
export const unaborted = (call: Call): Call => ({
  ...withDeadline(call, call.deadline),
  signal: new AbortController().signal,
})
