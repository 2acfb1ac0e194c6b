import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { TlsRule } from '#/access.ts'
import { secured, wantsTls } from '#/wire/secure.ts'

/** SSLRequest (protocol, 54.2.10): the server answers with one byte before anything else is said. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const YES = 'S'
const NO = 'N'

/** The stream in TLS or as it is, as the rule says. Rejects with DatabaseFailure where the rule is not kept. */
export async function encrypted(stream: Duplex, rule: TlsRule, signal: AbortSignal): Promise<Duplex> {
  if (rule.mode === 'disable') return stream
  const abort = (): void => void stream.destroy(new Error('aborted'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    const [answer] = await asked(stream)
    // Bytes behind the answer would be read as if they had come encrypted.
    const text = Buffer.isBuffer(answer) ? answer.toString('latin1') : ''
    if (text !== YES && text !== NO) throw new Error('the server does not speak the protocol of PostgreSQL')
    return wantsTls(rule, text === YES) ? await secured(stream, rule) : stream
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
