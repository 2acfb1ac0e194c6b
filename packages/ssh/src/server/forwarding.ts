import { connect, type NetConnectOpts } from 'node:net'
import { pipeline } from 'node:stream'
import type {
  AcceptConnection,
  RejectConnection,
  ServerChannel,
  SocketRequestInfo,
  TcpipRequestInfo,
} from 'ssh2'

type Accept = AcceptConnection<ServerChannel>

/** A channel to a port, as the machine of the server sees it. */
export const serveTcp = (accept: Accept, reject: RejectConnection, info: TcpipRequestInfo): void =>
  forward({ host: info.destIP, port: info.destPort, noDelay: true }, accept, reject)

/** A channel to a Unix socket. */
export const serveSocket = (accept: Accept, reject: RejectConnection, info: SocketRequestInfo): void =>
  forward({ path: info.socketPath }, accept, reject)

function forward(to: NetConnectOpts, accept: Accept, reject: RejectConnection): void {
  const socket = connect(to)
  socket.once('error', reject)
  socket.once('connect', () => {
    socket.removeListener('error', reject)
    const channel = accept()
    // Whatever breaks one direction ends both: there is nobody else to report to.
    pipeline(socket, channel, () => socket.destroy())
    pipeline(channel, socket, () => channel.destroy())
  })
}
