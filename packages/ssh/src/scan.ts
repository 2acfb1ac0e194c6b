import type { Clock } from '@fleet/kernel'
import { Client } from 'ssh2'
import { ALGORITHMS, type OpenClient, socketTo } from './connect.ts'
import { fingerprintOf } from './keys.ts'
import { orAborted, startTimeLimit } from './time-limit.ts'
import { SshFailure } from './types.ts'

interface ScanOptions {
  readonly clock: Clock
  readonly timeoutMilliseconds: number
}

/** The fingerprint of the key a host presents, by the order of algorithms that commands use. Throws SshFailure `unreachable`. */
export async function scan(
  address: { readonly host: string; readonly port: number },
  { clock, timeoutMilliseconds }: ScanOptions,
): Promise<string> {
  const socket = socketTo(address)
  using limit = startTimeLimit(clock, timeoutMilliseconds)
  try {
    return await orAborted(presented({ client: new Client(), socket }), limit.signal)
  } catch (error) {
    throw new SshFailure('unreachable', false, error)
  } finally {
    socket.destroy()
  }
}

const presented = ({ client, socket: sock }: OpenClient): Promise<string> =>
  new Promise((resolve, reject) => {
    // The key is refused as soon as it is read, so the error that follows is no news.
    client.on('error', reject)
    client.once('close', () => reject(new Error('closed before it presented a key')))
    client.connect({
      sock,
      username: 'scan',
      algorithms: ALGORITHMS,
      hostVerifier: (key: Buffer) => {
        resolve(fingerprintOf(key))
        return false
      },
      readyTimeout: 0,
    })
  })
