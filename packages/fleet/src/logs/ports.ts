import type { agentLogStream, LogStreamEvent, LogStreamEventData, NodeIdentity } from '@fleet/contract'
import type * as z from 'zod'

/** What an agent should read (AGT-007). */
export type LogSource = z.output<typeof agentLogStream>['source']

/** A Process as far as its log needs it. */
export interface LoggedProcess {
  readonly id: number
  readonly name: string
  readonly node: NodeIdentity
  readonly runtime: 'systemd' | 'docker'
  /** On a production Node nothing is followed live. */
  readonly environment: 'development' | 'production'
  /** Instance whose stored values are masked; undefined for a Process of a Node. */
  readonly instanceId: number | undefined
  /** Sealed values of its container, which its log must not show. */
  readonly variables: string | null
}

/** The Process that runs the queue dashboard of an Instance, and how its application is asked. */
export interface QueueDashboard {
  readonly processId: number
  /** Folder of the application. */
  readonly directory: string
  /** Who runs it; undefined for the managed user of the Node. */
  readonly user: string | undefined
  /** PHP, with the options that it has in the Process. */
  readonly php: readonly string[]
}

/** Processes, which do not know of their logs. */
export interface LogProcesses {
  /** Undefined for an Instance without one (INS-125). */
  dashboardOf(instanceId: number): Promise<QueueDashboard | undefined>
  find(id: number): Promise<LoggedProcess | undefined>
  /** Values by name that its log must not show besides those of its Instance. */
  secretsOf(process: Pick<LoggedProcess, 'id' | 'variables'>): ReadonlyMap<string, string>
}

/** The WebSocket server as the relay reaches it. */
export interface LogPublisher {
  /** Sends the events in order, at most 10. Rejects when the server did not take them. */
  report(events: readonly LogStreamMessage[]): Promise<void>
  /** `log-streams.changed` on the log channel of each Node (LOG-006). Rejects as `tell` does. */
  changed(nodeIds: readonly number[]): Promise<void>
}

/** One event for the channel of a stream. */
export type LogStreamMessage = {
  [E in LogStreamEvent]: { readonly stream: string; readonly type: E; readonly data: LogStreamEventData<E> }
}[LogStreamEvent]
