import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { getCACertificates } from 'node:tls'
import type { Clock } from '@fleet/kernel'

/** One answer of the gateway. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

export interface HttpsRequest {
  readonly origin: string
  readonly path: string
  readonly home: string
  /** Address to connect to in the place of the name's own, so that DNS is no part of the question. */
  readonly address?: string | undefined
  /** Whether public authorities are trusted besides the fleet's own, as by people who reach it through a proxy of theirs. */
  readonly trustsPublic?: boolean | undefined
  readonly signal: AbortSignal
}

/** Asks the gateway over its real HTTPS origin, verified by its root certificate. Rejects with the system's or OpenSSL's error. */
export async function ask({
  origin,
  path,
  home,
  address,
  trustsPublic = false,
  signal,
}: HttpsRequest): Promise<Answer> {
  const url = new URL(`/api/v1${path}`, origin)
  const own = readFileSync(join(home, 'ca', 'root.crt'), 'utf8')
  const ca = trustsPublic ? [own, ...getCACertificates('default'), ...getCACertificates('system')] : own
  const server = address === undefined ? {} : { hostname: address, servername: nameOf(url.hostname) }
  const sent = request(url, { ca, agent: false, signal, headers: { host: url.host }, ...server })
  sent.end()
  // Rejects with whatever ends the request before its answer begins.
  const [answer] = (await once(sent, 'response')) as [IncomingMessage] // What the event carries.
  return { status: answer.statusCode ?? 0, body: await json(answer) }
}

// An address is no server name (RFC 6066, section 3).
const nameOf = (host: string): string => (/^[\d.]+$|:/.test(host) ? '' : host)

const PAUSE_MILLISECONDS = 200
const ONE_ASK_SECONDS = 10

/** Asks again until the answer is as wanted; resolves to why not when the time is over. */
export async function askUntil(
  question: Omit<HttpsRequest, 'signal'>,
  wrong: (answer: Answer) => string | undefined,
  { clock, seconds }: { readonly clock: Clock; readonly seconds: number },
): Promise<string | undefined> {
  const end = clock.ticks() + seconds * 1000
  for (;;) {
    const why = await ask({ ...question, signal: AbortSignal.timeout(ONE_ASK_SECONDS * 1000) }).then(
      wrong,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    if (why === undefined || clock.ticks() >= end) return why
    await clock.sleep(PAUSE_MILLISECONDS)
  }
}
