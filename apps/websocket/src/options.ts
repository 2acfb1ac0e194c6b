import type { Clock } from '@fleet/kernel'
import type { AppOptions } from '@fleet/pusher'
import type { Logger } from 'pino'

/** A server certificate of the fleet's authority. */
export interface TlsIdentity {
  /** PEM chain, leaf first. */
  readonly certificate: string
  /** PEM private key. */
  readonly key: string
}

export interface WebsocketLimits {
  /** Connections of the complete server; one more is told to reconnect later. */
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
  /** Messages of one connection in any second; more ends it. */
  readonly messagesPerSecond: number
  /** Bytes that may wait for one client; a slower reader is dropped, so that it never costs the server its memory. */
  readonly maxQueuedBytes: number
  /** Bytes of one message or request on the wire; the protocol refuses far smaller ones with words. */
  readonly maxMessageBytes: number
  readonly maxRequestBytes: number
  /** Seconds for which a client that was asked may stay silent. */
  readonly pongSeconds: number
  /** Seconds over which a server that stops sends its clients away. */
  readonly drainSeconds: number
}

export interface WebsocketOptions {
  readonly address: string
  /** 0 for any that is free. */
  readonly port: number
  /** Plain connections when absent: for a server behind one that ends TLS. */
  readonly tls?: TlsIdentity
  readonly apps: readonly AppOptions[]
  /** Hosts of pages that may connect: names, `*.name` for all below one, `*` for all; none when absent. Clients that send no origin are no pages. */
  readonly origins?: readonly string[]
  readonly limits?: Partial<WebsocketLimits>
  readonly clock: Clock
  readonly log: Logger
}

export const DEFAULT_LIMITS: WebsocketLimits = {
  maxConnections: 50_000,
  maxConnectionsPerAddress: 50_000,
  messagesPerSecond: 1000,
  maxQueuedBytes: 4 * 1024 * 1024,
  maxMessageBytes: 64 * 1024,
  maxRequestBytes: 256 * 1024,
  pongSeconds: 30,
  drainSeconds: 2,
}
