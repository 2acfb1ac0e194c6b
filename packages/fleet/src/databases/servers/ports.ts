import type { ProcessVolume } from '@fleet/contract'
import type { Secret } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'

/** The container of a server, as a Process of its Node. */
export interface ContainerRequest {
  readonly node: NodeRecord
  readonly name: string
  readonly image: string
  readonly command: readonly string[]
  readonly ports: readonly string[]
  readonly volumes: readonly ProcessVolume[]
}

/** What servers need from Processes. */
export interface Containers {
  /** Throws `node.capability_missing` where the Node has no Docker. */
  requireDocker(session: NodeSession): Promise<void>
  /** Stores the Process, or returns the stored one of the same request. Nothing happens on the Node. */
  reserve(call: Call, request: ContainerRequest): Promise<{ readonly id: number }>
  /** The container exists and runs. It has the variables `once` alone; the next `run` without them creates another. */
  run(session: NodeSession, processId: number, once?: ReadonlyMap<string, Secret>): Promise<string>
  /** Removes container and record, and keeps named volumes. Without a session the container becomes a residue of its Node. */
  remove(call: Call, processId: number, session: NodeSession | undefined): Promise<void>
  nameOf(process: { readonly id: number; readonly name: string; readonly runtime: 'docker' }): string
}
