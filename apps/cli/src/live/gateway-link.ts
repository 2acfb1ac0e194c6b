import type { CallOptions, Sender } from '@fleet/sdk/core'
import { type Connection, ConnectionFailure, openConnection } from '@fleet/pusher-client'
import type { Context, Invocation } from '#/context.ts'
import { ClientError, EXIT } from '#/exit.ts'
import { connect } from '#/gateway/connection.ts'
import { isChange, type Members, routeOf } from '#/route.ts'
import { isObject, type Json } from '#/print/value.ts'
import { whileConnected } from './while-connected.ts'

/** The gateway as live commands use it: its operations, and connections to the server of its feed. */
export interface GatewayLink {
  /** Name of the profile, or `embedded`. */
  readonly name: string
  /** Performs an operation and answers its `data`. Rejects with what the sender rejects with. */
  ask(operation: string, members?: Members, options?: CallOptions): Promise<unknown>
  /** A new connection, trusted as the gateway itself is, that ends with the signal. Rejects with ConnectionFailure, or ClientError when nobody serves the feed. */
  open(until?: AbortSignal): Promise<Connection>
  /** Has the gateway sign the connection's membership and subscribes. Answers the members of a presence channel. */
  join(connection: Connection, channel: string): Promise<ReadonlyMap<string, unknown>>
}

export async function linkOf(context: Context, { globals }: Invocation): Promise<GatewayLink> {
  const { environment, tree, signal, clock, newRequestId, onRequest } = context
  const gateway = await connect(environment, globals)
  const sender: Sender = context.sender({ ...gateway, timeoutSeconds: globals.timeoutSeconds })
  const ask: GatewayLink['ask'] = async (name, members = {}, options = {}) => {
    const operation = tree.commands[name]
    if (!operation) throw new Error(`the catalogue has no ${name}`)
    const { requestId = newRequestId() } = options
    onRequest({ id: requestId, changes: isChange(operation, members), target: gateway.baseUrl })
    return (await sender.send(routeOf(operation), members, { signal, ...options, requestId })).data
  }
  return {
    name: gateway.name,
    ask,
    open: async (until = signal) => {
      const { url, key } = fieldsOf(await ask('realtime:show'))
      if (typeof url !== 'string' || typeof key !== 'string') throw notServed()
      const { ca, localAddress } = gateway
      return openConnection({ url, key, ca, localAddress }, { clock, signal: until })
    },
    join: async (connection, channel) => {
      const wish = { socket_id: connection.socketId, channel_name: channel }
      const signed = await whileConnected(connection, (ended) =>
        ask('broadcasting:authorize', wish, { signal: AbortSignal.any([signal, ended]) }),
      )
      const { auth, channel_data } = fieldsOf(signed)
      return connection.subscribe(channel, {
        auth: String(auth),
        ...(typeof channel_data === 'string' ? { channel_data } : {}),
      })
    },
  }
}

export const fieldsOf = (value: unknown): Json => (isObject(value) ? value : {})

const notServed = (): ClientError =>
  new ClientError('realtime.not_configured', 'No Node serves the feed of this fleet.', {
    exit: EXIT.refused,
    next: 'Assign the role to a Node: fleet node:role:add NODE websocket',
  })

/** A failed connection as the error to print; any other as it is. */
export const asClientError = (error: unknown): unknown =>
  error instanceof ConnectionFailure
    ? new ClientError('realtime.unreachable', `The feed cannot be followed: ${reasonOf(error)}.`, {
        cause: error,
      })
    : error

/** Why there is no connection, for people. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConnectionFailure) return FAILURES[error.code]
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}

const FAILURES: Readonly<Record<ConnectionFailure['code'], string>> = {
  timeout: 'the feed server did not answer in time',
  unreachable: 'the feed server cannot be reached, or its name cannot be resolved',
  untrusted:
    'the certificate of the feed server is not signed for its name by the root certificate of this gateway',
  refused: 'the feed server refused the connection',
  closed: 'the connection ended',
  message_too_large: 'a message was too long',
}
