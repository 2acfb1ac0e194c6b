import type { StoredRuntime } from '@fleet/store'
import type { agentLogStream, LogStreamEvent, LogStreamEventData } from '@fleet/contract'
import type * as z from 'zod'
import type { NodeRecord } from '#/nodes/api.ts'

/** What an agent should read (AGT-007). */
export type LogSource = z.output<typeof agentLogStream>['source']

/** What the secrets of a Process are read from: sealed values of its container and connections, and what names these. */
export interface LogSecrets {
  readonly id: number
  readonly variables: string | null
  readonly connection_values: string | null
  readonly runtime_config: StoredRuntime
}

/** A Process as far as its log needs it. */
export interface LoggedProcess extends LogSecrets {
  readonly name: string
  readonly node: Pick<NodeRecord, 'id' | 'name' | 'status'>
  readonly runtime: 'systemd' | 'docker'
  /** On a production Node nothing is followed live. */
  readonly environment: 'development' | 'production'
  /** Instance whose stored values are masked; undefined for a Process of a Node. */
  readonly instanceId: number | undefined
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
  secretsOf(process: LogSecrets): Promise<Iterable<readonly [name: string, value: string]>>
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
