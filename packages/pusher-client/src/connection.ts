/** User id to its `user_info`. Empty on channels without presence. */
export type Members = ReadonlyMap<string, unknown>

export interface PusherMessage {
  /**
   * As the server names it, client events included. Members that join and leave a presence channel are announced as
   * `pusher:member_added` and `pusher:member_removed` with data `{user_id, user_info?}`.
   */
  readonly event: string
  readonly channel?: string
  /** Parsed where it was JSON text. */
  readonly data: unknown
  /** Sender of a client event on a presence channel, as the server attests it. */
  readonly userId?: string
}

export interface Closed {
  /** Undefined when the connection broke without a close of the protocol. */
  readonly code: number | undefined
  readonly reason: string
}

/** One connection. Disposing ends it at once. */
export interface Connection extends Disposable {
  readonly socketId: string
  /**
   * Resolves with the presence members where there are any. Rejects with ConnectionFailure: the server's refusal, 30 s
   * without an answer, or the end of the connection.
   */
  subscribe(
    channel: string,
    auth?: { readonly auth: string; readonly channel_data?: string | undefined },
  ): Promise<Members>
  unsubscribe(channel: string): void
  /**
   * Sends a client event to the other subscribers of a joined channel. Throws ConnectionFailure `message_too_large` over
   * 10,000 bytes (LIM-012); on an ended connection it does nothing.
   */
  trigger(channel: string, event: `client-${string}`, data: unknown): void
  /** Bytes that the network has not taken yet, for back-pressure. */
  readonly buffered: number
  /** Adds a listener; attach it before `subscribe`. What it throws ends the connection. */
  onMessage(listener: (message: PusherMessage) => void): void
  /** Resolves when the connection ended, for whatever reason; it never rejects. */
  readonly closed: Promise<Closed>
}
