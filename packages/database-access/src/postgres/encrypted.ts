import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { connect } from 'node:tls'

/** SSLRequest (protocol, 54.2.10): the server answers with one byte before anything else is said. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const YES = 'S'
const NO = 'N'

/**
 * The stream in TLS where the server offers it, else as it is. The certificate is not verified: a connection stores no
 * authority, so this keeps out who listens, not who answers in the place of the server (decision 0154).
 */
export async function encrypted(stream: Duplex, signal: AbortSignal): Promise<Duplex> {
  const abort = (): void => void stream.destroy(new Error('aborted'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    const [answer] = await asked(stream)
    // Bytes behind the answer would be read as if they had come encrypted.
    const text = Buffer.isBuffer(answer) ? answer.toString('latin1') : ''
    if (text === NO) return stream
    if (text !== YES) throw new Error('the server does not speak the protocol of PostgreSQL')
    const secure = connect({ socket: stream, rejectUnauthorized: false })
    await once(secure, 'secureConnect')
    return secure
  } catch (error) {
    stream.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

async function asked(stream: Duplex): Promise<readonly unknown[]> {
  stream.write(SSL_REQUEST)
  const closing = new AbortController()
  stream.once('close', () => closing.abort())
  const answer: readonly unknown[] = await once(stream, 'data', { signal: closing.signal })
  stream.pause()
  return answer
}
