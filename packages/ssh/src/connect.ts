import { connect as openSocket, type Socket } from 'node:net'
import type { Clock, Secret } from '@fleet/kernel'
import { type Algorithms, Client } from 'ssh2'
import { fingerprintOf } from './keys.ts'
import { orAborted, startTimeLimit } from './time-limit.ts'
import { SshFailure, type SshFailureKind, type SshTarget } from './types.ts'

export interface ConnectOptions {
  readonly privateKey: Secret
  readonly clock: Clock
  readonly timeoutMilliseconds: number
  readonly keepaliveSeconds: number
  readonly keepaliveCount: number
}

// What OpenSSH 9 offers by default and ssh2 speaks; no SHA-1, CBC or small groups.
export const ALGORITHMS: Algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
  ],
  // The pinned fingerprint is that of the first of these that the host has.
  serverHostKey: [
    'ssh-ed25519',
    'ecdsa-sha2-nistp256',
    'ecdsa-sha2-nistp384',
    'ecdsa-sha2-nistp521',
    'rsa-sha2-512',
    'rsa-sha2-256',
  ],
  cipher: [
    'aes128-gcm@openssh.com',
    'aes256-gcm@openssh.com',
    'chacha20-poly1305@openssh.com',
    'aes128-ctr',
    'aes256-ctr',
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
}

/** A client with its own socket: once it has said goodbye, its `destroy` leaves the socket to a peer that may be dead. */
export interface OpenClient {
  readonly client: Client
  readonly socket: Socket
}

/** A socket for a client. With Nagle's algorithm each small packet would wait for the peer's delayed acknowledgement. */
export const socketTo = ({ host, port }: { readonly host: string; readonly port: number }): Socket =>
  openSocket({ host, port, noDelay: true })

/**
 * An authenticated connection to a host that proved the pinned key.
 * Throws SshFailure `host_key_changed`, `authentication` or `unreachable`, always with `sent` false.
 */
export async function connect(target: SshTarget, options: ConnectOptions): Promise<OpenClient> {
  const client = new Client()
  const socket = socketTo(target)
  using limit = startTimeLimit(options.clock, options.timeoutMilliseconds)
  try {
    await orAborted(ready({ client, socket }, target, options), limit.signal)
  } catch (error) {
    socket.destroy()
    if (error instanceof SshFailure && error.kind !== 'timeout') throw error
    throw new SshFailure('unreachable', false, error)
  }
  return { client, socket }
}

const ready = (
  { client, socket: sock }: OpenClient,
  target: SshTarget,
  options: ConnectOptions,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let keyChanged = false
    const fail = (cause: unknown): void => reject(new SshFailure(kindOf(cause, keyChanged), false, cause))
    client.once('ready', resolve)
    // It stays for the connection's life: an error without a listener would end the process; `close` follows it.
    client.on('error', fail)
    client.once('close', () => fail(new Error('closed before it was ready')))
    client.connect({
      sock,
      username: target.user,
      privateKey: options.privateKey.reveal(),
      authHandler: ['publickey'],
      algorithms: ALGORITHMS,
      hostVerifier: (key: Buffer) => {
        keyChanged = fingerprintOf(key) !== target.fingerprint
        return !keyChanged
      },
      readyTimeout: 0,
      keepaliveInterval: options.keepaliveSeconds * 1000,
      keepaliveCountMax: options.keepaliveCount,
    })
  })

const kindOf = (cause: unknown, keyChanged: boolean): SshFailureKind => {
  if (keyChanged) return 'host_key_changed'
  const level = typeof cause === 'object' && cause !== null && 'level' in cause ? cause.level : undefined
  return level === 'client-authentication' ? 'authentication' : 'unreachable'
}
