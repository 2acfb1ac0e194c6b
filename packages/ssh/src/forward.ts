import type { Duplex } from 'node:stream'
import type { Client, ClientChannel } from 'ssh2'
import type { Connection } from './connection.ts'
import { orAborted } from './time-limit.ts'
import { type Destination, ForwardRefused, SshFailure } from './types.ts'

/** Opens a channel to the destination over an open connection. Throws SshFailure and ForwardRefused. */
export async function openForward(
  connection: Connection,
  destination: Destination,
  signal: AbortSignal,
): Promise<Duplex> {
  if (connection.closed) throw new SshFailure('connection_lost', false)
  const opening = requestChannel(connection.client, destination)
  try {
    return await orAborted(opening, signal)
  } catch (error) {
    // It may still be opened for somebody who has gone.
    void opening.then(
      (channel) => channel.destroy(),
      () => undefined,
    )
    if (error instanceof SshFailure) throw error
    throw connection.closed
      ? new SshFailure('connection_lost', false, error)
      : new ForwardRefused('the Node did not connect to the destination', { cause: error })
  }
}

const requestChannel = (client: Client, destination: Destination): Promise<ClientChannel> =>
  new Promise((resolve, reject) => {
    const opened = (error: Error | undefined, channel: ClientChannel): void => {
      if (error) reject(error)
      else resolve(asStream(channel))
    }
    try {
      if ('socketPath' in destination) client.openssh_forwardOutStreamLocal(destination.socketPath, opened)
      // The origin is only for the log of the peer.
      else client.forwardOut('127.0.0.1', 0, destination.host, destination.port, opened)
    } catch (error) {
      reject(error instanceof Error ? error : new Error('no channel', { cause: error }))
    }
  })

/**
 * A channel that ends as a stream of Node does. ssh2 says that one is closed when what came over it has been read, so one that
 * is destroyed reads the rest for nobody. An error without a listener would end the process; whoever uses the stream adds
 * their own.
 */
function asStream(channel: ClientChannel): ClientChannel {
  const destroy = channel.destroy.bind(channel)
  channel.destroy = () => {
    channel.removeAllListeners('data').resume()
    return destroy()
  }
  return channel.on('error', () => undefined)
}
