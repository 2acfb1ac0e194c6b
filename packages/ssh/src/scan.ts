import type { Clock } from '@fleet/kernel'
import { type Algorithms, Client } from 'ssh2'
import { ALGORITHMS, type OpenClient, socketTo } from './connect.ts'
import { fingerprintOf } from './keys.ts'
import { orAborted, startTimeLimit } from './time-limit.ts'
import { SshFailure } from './types.ts'

export interface ScanOptions {
  readonly clock: Clock
  readonly timeoutMilliseconds: number
}

/** The fingerprint of the key a host presents, by the order of algorithms that commands use. Throws SshFailure `unreachable`. */
export async function scan(
  address: { readonly host: string; readonly port: number },
  { clock, timeoutMilliseconds }: ScanOptions,
): Promise<string> {
  return fingerprintOf(await keyOf(address, ALGORITHMS, { clock, timeoutMilliseconds }))
}

/** A public key that a host proves itself with. */
export interface HostKey {
  /** `ssh-ed25519`, `ssh-rsa` or `ecdsa-sha2-…`. */
  readonly type: string
  /** Base64 of its wire format, as in `known_hosts`. */
  readonly key: string
  /** `SHA256:` and 43 base64 characters. */
  readonly fingerprint: string
}

/** One connection for each: a host presents the first that it has of those it is asked for. */
const KINDS = [
  ['ssh-ed25519'],
  ['ecdsa-sha2-nistp256'],
  ['ecdsa-sha2-nistp384'],
  ['ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'rsa-sha2-256'],
] as const

/** Every key that a host presents, at least one. Nobody logs in. Throws SshFailure `unreachable`. */
export async function scanHostKeys(
  address: { readonly host: string; readonly port: number },
  options: ScanOptions,
): Promise<readonly HostKey[]> {
  const found = await Promise.allSettled(
    KINDS.map((serverHostKey) =>
      keyOf(address, { ...ALGORITHMS, serverHostKey: [...serverHostKey] }, options),
    ),
  )
  const keys = found.flatMap((result) => (result.status === 'fulfilled' ? [hostKeyOf(result.value)] : []))
  if (keys.length > 0) return keys
  const [first] = found
  throw first?.status === 'rejected' ? first.reason : new SshFailure('unreachable', false)
}

const hostKeyOf = (blob: Buffer): HostKey => ({
  type: blob.toString('latin1', 4, 4 + blob.readUInt32BE(0)),
  key: blob.toString('base64'),
  fingerprint: fingerprintOf(blob),
})

async function keyOf(
  address: { readonly host: string; readonly port: number },
  algorithms: Algorithms,
  { clock, timeoutMilliseconds }: ScanOptions,
): Promise<Buffer> {
  const socket = socketTo(address)
  using limit = startTimeLimit(clock, timeoutMilliseconds)
  try {
    return await orAborted(presented({ client: new Client(), socket }, algorithms), limit.signal)
  } catch (error) {
    throw new SshFailure('unreachable', false, error)
  } finally {
    socket.destroy()
  }
}

const presented = ({ client, socket: sock }: OpenClient, algorithms: Algorithms): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // The key is refused as soon as it is read, so the error that follows is no news.
    client.on('error', reject)
    client.once('close', () => reject(new Error('closed before it presented a key')))
    client.connect({
      sock,
      username: 'scan',
      algorithms,
      hostVerifier: (key: Buffer) => {
        resolve(key)
        return false
      },
      readyTimeout: 0,
    })
  })
