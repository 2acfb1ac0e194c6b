import type { RealtimeServer } from '#/realtime/server.ts'

/** Asks a WebSocket server: sockets belong to apps. */
export interface ServerProbe {
  /** Whether it answers a signed request over TLS in time, by the name of its certificate (ACC-009, ACC-010). */
  answers(server: RealtimeServer): Promise<boolean>
}
