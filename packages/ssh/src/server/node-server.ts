import {
  type AddressInfo,
  BlockList,
  createServer,
  isIP,
  type Server as NetServer,
  type Socket,
} from 'node:net'
import { type Clock, guarded, type Secret, systemClock } from '@fleet/kernel'
import ssh2 from 'ssh2'
import { publicKeyBlob, readSshKey } from '#/keys.ts'
import { serveClient } from './client-connection.ts'

export interface NodeServerOptions {
  /** A loopback address; others are refused. */
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly hostKey: Secret
  /** The only key that may log in, as a line of `authorized_keys`. */
  readonly authorizedKey: string
  /** The only user name that may log in; commands run as the current user whatever it is. */
  readonly user: string
  /** Working directory of every command and its HOME. */
  readonly home: string
  /** Added to HOME, USER, PATH and LANG. */
  readonly env?: Readonly<Record<string, string>>
  readonly clock?: Clock
}

export interface NodeServer {
  readonly port: number
  readonly fingerprint: string
  /** Open connections right now. */
  connections(): number
  /** Connections taken since the start. */
  accepted(): number
  /** Commands begun since the start. */
  commands(): number
  /** Cuts every connection, as a crash would; the server keeps listening. */
  cutConnections(): void
  /** Stops listening, cuts every connection and ends what still runs. */
  close(): Promise<void>
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * An SSH server that runs commands as the current user: the embedded Nodes and the tests. It takes one key, one user
 * name, exec requests and forwarded streams; terminals, shells, subsystems and listening for others are refused.
 */
export async function startNodeServer(options: NodeServerOptions): Promise<NodeServer> {
  const family = isIP(options.host)
  if (family === 0 || !LOOPBACK.check(options.host, family === 6 ? 'ipv6' : 'ipv4')) {
    throw new Error('an embedded Node listens on loopback addresses only')
  }
  const running = new Set<Promise<void>>()
  let commands = 0
  const hostKey = readSshKey(options.hostKey)
  const ssh = new ssh2.Server({ hostKeys: [hostKey.privateKey.reveal()] })
  const context = {
    user: options.user,
    authorizedKey: publicKeyBlob(options.authorizedKey),
    cwd: options.home,
    env: {
      PATH,
      LANG: 'C.UTF-8',
      HOME: options.home,
      USER: options.user,
      LOGNAME: options.user,
      ...options.env,
    },
    clock: options.clock ?? systemClock,
    begun: (finished: Promise<void>) => {
      commands += 1
      running.add(finished)
      void finished.finally(() => running.delete(finished))
    },
  }
  const serve = (client: ssh2.Connection): void => serveClient(client, context)
  ssh.on(
    'connection',
    guarded(serve, (_error, client) => void client.end()),
  )
  const { net, sockets, accepted } = acceptInto(ssh)
  await listen(net, options.host, options.port)
  const cutConnections = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (net.address() as AddressInfo).port, // A listening TCP server has an address object.
    fingerprint: hostKey.fingerprint,
    connections: () => sockets.size,
    accepted,
    commands: () => commands,
    cutConnections,
    close: async () => {
      const closed = new Promise((resolve) => net.close(resolve))
      cutConnections()
      await closed
      await Promise.all(running)
    },
  }
}

interface Listener {
  readonly net: NetServer
  readonly sockets: ReadonlySet<Socket>
  readonly accepted: () => number
}

/** A listener of our own, because ssh2's neither sets `noDelay` nor shows its sockets. */
const acceptInto = (ssh: ssh2.Server): Listener => {
  let accepted = 0
  const sockets = new Set<Socket>()
  const accept = (socket: Socket): void => {
    accepted += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    ssh.injectSocket(socket)
  }
  const net = createServer(
    { noDelay: true },
    guarded(accept, (_error, socket) => void socket.destroy()),
  )
  return { net, sockets, accepted: () => accepted }
}

const listen = (net: NetServer, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    net.once('error', reject)
    net.listen(port, host, () => {
      net.removeListener('error', reject)
      // A failed accept, as when file descriptors run out, concerns that caller alone.
      net.on('error', () => undefined)
      resolve()
    })
  })
