import type { RealtimeServer } from '#/realtime/server.ts'

/** Asks a WebSocket server: sockets belong to apps. */
export interface ServerProbe {
  /** Whether it answers a signed request over TLS in time, by the name of its certificate (ACC-009, ACC-010). */
  ask(server: RealtimeServer): Promise<ProbeAnswer>
}

export interface ProbeAnswer {
  readonly isTaken: boolean
  /** How far its clock is ahead of the gateway's where it refuses for that, negative where it is behind. */
  readonly clockAheadSeconds?: number | undefined
}
