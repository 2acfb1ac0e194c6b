/** The realtime service as agents reach it; undefined without an active `websocket` role. */
export interface AgentRealtime {
  service(): Promise<RealtimeService | undefined>
}

export interface RealtimeService {
  /** `wss://…` by which an agent connects. */
  readonly url: string
  /** Tunnel address of its Node. */
  readonly address: string
  readonly key: string
  /** The protocol's signature for one connection's membership in a presence channel. */
  sign(
    socketId: string,
    channel: string,
    member: { readonly user_id: string; readonly user_info: Readonly<Record<string, unknown>> },
  ): { readonly auth: string; readonly channel_data: string }
}
