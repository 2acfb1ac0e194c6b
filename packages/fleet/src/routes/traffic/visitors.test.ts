import { once } from 'node:events'
import { type ClientHttp2Session, connect as connectHttp2, constants } from 'node:http2'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

/** What visitors know: where a name leads, and whom they trust. */
export interface Web {
  readonly port: number
  readonly authority: string
  addressOf(domain: string): string | undefined
}

export interface Tally {
  /** Of each kind, those that were answered as expected. */
  readonly answered: Record<Kind, number>
  /** Their connection was closed before the server heard of them, and they were sent once more, as browsers do. */
  repeated: number
  /** What each page said, and how often. */
  readonly pages: Map<string, number>
  readonly failures: string[]
}

export const KINDS = ['kept', 'fresh', 'http2'] as const
type Kind = (typeof KINDS)[number]

/** How long a visitor uses what the DNS once answered. */
const NAME_MILLISECONDS = 1000
/** Each sends one request of each kind: 300 a second. */
const ROUND_MILLISECONDS = 10
/** After so many rounds a tenth of that: on a busy machine changes take long, and the requests of all that time tell nothing new. */
const FULL_ROUNDS = 900
const MAX_WAITING = 90

export interface Visitors {
  readonly tally: Tally
  /** What the grace of a change is long enough for: names are forgotten, and whoever had set out is answered. */
  settle(): Promise<void>
  stop(): Promise<Tally>
}

export interface VisitorOptions {
  readonly paths?: readonly string[]
  /** Rounds before they come less often. */
  readonly fullRounds?: number
}

/** Visits every one of the domains that has an address, and there one path after the other, until it is stopped. */
export function startVisitors(
  web: Web,
  domains: readonly string[],
  { paths = [PATH], fullRounds = FULL_ROUNDS }: VisitorOptions = {},
): Visitors {
  const tally: Tally = {
    answered: { kept: 0, fresh: 0, http2: 0 },
    repeated: 0,
    pages: new Map(),
    failures: [],
  }
  const resolver = makeResolver(web)
  const agent = new Agent({ keepAlive: true, maxSockets: 12, ca: web.authority })
  const sessions = new Map<string, ClientHttp2Session>()
  const waiting = new Set<Promise<void>>()
  const stopping = new AbortController()
  const visit = async (kind: Kind, domain: string, path: string): Promise<void> => {
    const began = performance.now()
    for (let attempt = 1; ; attempt += 1) {
      const address = resolver.ask(domain)
      // Since the first attempt its name may have gone: there is nothing to visit.
      if (address === undefined) return
      const place = { web, domain, address }
      try {
        const { status, text } =
          kind === 'http2'
            ? await overHttp2(place, path, attempt === 1 ? sessions : undefined)
            : await overHttp1(place, kind === 'kept' && attempt === 1 ? agent : false, path)
        if (status !== 200) throw new Error(`answered ${status} ${text}`)
        tally.answered[kind] += 1
        tally.pages.set(`${domain} ${text}`, (tally.pages.get(`${domain} ${text}`) ?? 0) + 1)
        return
      } catch (error) {
        if (error instanceof Unheard && attempt === 1) tally.repeated += 1
        else {
          const after = Math.round(performance.now() - began)
          tally.failures.push(
            `${kind} ${domain}${path} at ${address}, attempt ${attempt}, after ${after} ms: ${String(error)}`,
          )
          return
        }
      }
    }
  }
  const running = (async () => {
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      const named = domains.filter((domain) => resolver.ask(domain) !== undefined)
      const domain = named[round % Math.max(named.length, 1)]
      const path = paths[Math.floor(round / Math.max(named.length, 1)) % paths.length] ?? PATH
      if (domain !== undefined && waiting.size < MAX_WAITING)
        for (const kind of KINDS) {
          const visiting = visit(kind, domain, path).finally(() => waiting.delete(visiting))
          waiting.add(visiting)
        }
      await pause(round < fullRounds ? ROUND_MILLISECONDS : 10 * ROUND_MILLISECONDS)
    }
    await Promise.all(waiting)
  })()
  return {
    tally,
    settle: async () => {
      await pause(NAME_MILLISECONDS)
      resolver.forget()
      await Promise.all(waiting)
    },
    stop: async () => {
      stopping.abort()
      await running
      agent.destroy()
      for (const session of sessions.values()) session.destroy()
      return tally
    },
  }
}

interface Resolver {
  ask(domain: string): string | undefined
  forget(): void
}

function makeResolver({ addressOf }: Web): Resolver {
  const kept = new Map<string, { readonly address: string; readonly until: number }>()
  return {
    ask: (domain) => {
      const known = kept.get(domain)
      if (known && known.until > performance.now()) return known.address
      const address = addressOf(domain)
      if (address === undefined) kept.delete(domain)
      else kept.set(domain, { address, until: performance.now() + NAME_MILLISECONDS })
      return address
    },
    forget: () => kept.clear(),
  }
}

/** The server closed the connection before it heard of the request. */
class Unheard extends Error {}

interface Place {
  readonly web: Web
  readonly domain: string
  readonly address: string
}
interface Answer {
  readonly status: number | undefined
  readonly text: string
}

const PATH = '/page.txt'

/** One request over a connection of its own. */
export const visitOnce = (place: Place, path: string): Promise<Answer> => overHttp1(place, false, path)

const overHttp1 = ({ web, domain, address }: Place, agent: Agent | false, path: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request({
      host: address,
      port: web.port,
      servername: domain,
      path,
      headers: { host: domain },
      agent,
      ...(agent ? {} : { ca: web.authority }),
    })
    sent.on('error', (error) => reject(sent.reusedSocket ? new Unheard(error.message) : error))
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode, text }))
    })
    sent.end()
  })

/** One session for each name and address, until the server says that it takes no more; without sessions one of its own. */
function overHttp2(
  { web, domain, address }: Place,
  path: string,
  sessions: Map<string, ClientHttp2Session> | undefined,
): Promise<Answer> {
  const key = `${domain} ${address}`
  const kept = sessions?.get(key)
  const session =
    kept && !kept.closed && !kept.destroyed
      ? kept
      : connectHttp2(`https://${address}:${web.port}`, { servername: domain, ca: web.authority })
  if (session !== kept) {
    sessions?.set(key, session)
    const forget = (): void => void (sessions?.get(key) === session && sessions.delete(key))
    session.on('goaway', forget).on('close', forget).on('error', forget)
  }
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const stream = session.request({ ':path': path, ':authority': domain })
  let [status, text]: [number | undefined, string] = [undefined, '']
  const failed = (error: Error): void => {
    // It says itself that it has not looked at the request (RFC 9113, 8.7), or it closed a session that was kept.
    const isUnheard =
      stream.rstCode === constants.NGHTTP2_REFUSED_STREAM || (status === undefined && session === kept)
    reject(isUnheard ? new Unheard(error.message) : error)
  }
  stream.on('error', failed).on('response', (headers) => (status = headers[':status']))
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  stream
    .on('end', () => resolve({ status, text }))
    .on('close', () => {
      failed(new Error('closed before its end'))
      if (sessions === undefined) session.close()
    })
  return promise
}

/** How often each answer came. */
export type Posted = Readonly<Record<string, number>>

/** Sends a form a hundred times a second, each once: nobody repeats one. */
export function startPosts({ web, domain, address }: Place, path = PATH): () => Promise<Posted> {
  const answers: Record<string, number> = {}
  const agent = new Agent({ keepAlive: true, ca: web.authority })
  const post = (): Promise<void> =>
    new Promise((resolve) => {
      const ended = (answer: string): void => {
        answers[answer] = (answers[answer] ?? 0) + 1
        resolve()
      }
      const place = { host: address, port: web.port, servername: domain, path, agent }
      request({ ...place, method: 'POST', headers: { host: domain, 'content-length': 4 } })
        .on('error', (error) => ended(error.message))
        .on('response', (response) => response.resume().on('end', () => ended(String(response.statusCode))))
        .end('a=1&')
    })
  const stopping = new AbortController()
  const running = (async () => {
    const sent: Promise<void>[] = []
    while (!stopping.signal.aborted) {
      sent.push(post())
      await pause(ROUND_MILLISECONDS)
    }
    await Promise.all(sent)
  })()
  return async () => {
    stopping.abort()
    await running
    agent.destroy()
    return answers
  }
}

const HELD_AFTER = 1024 * 1024

/**
 * Reads a file with so many bytes in a millisecond; how many there were. With a promise, more than buffers hold of it is left
 * until that is kept, however slow the machine is.
 */
export async function readSlowly(
  { web, domain, address }: Place,
  path: string,
  bytesPerMillisecond: number,
  until?: Promise<void>,
): Promise<number> {
  const sent = request({
    host: address,
    port: web.port,
    servername: domain,
    path,
    headers: { host: domain },
    agent: false,
    ca: web.authority,
  }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage] // What the event has.
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > HELD_AFTER) await until
    await pause(chunk.length / bytesPerMillisecond)
  }
  return bytes
}

export interface Streams {
  /** How often a stream ended that was to stay open. */
  readonly cuts: { socket: number; events: number }
  /** What came over them. */
  readonly heard: { socket: number; events: number }
  readonly failures: string[]
  stop(): Promise<void>
}

/** What comes over it. Whoever wanted a WebSocket may get a page. */
async function streamOf(sent: ClientRequest, kind: 'socket' | 'events'): Promise<Duplex | IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex | IncomingMessage>()
  sent.on('error', reject).on('close', () => reject(new Error('closed before it was answered')))
  sent.on('upgrade', (_response, socket) => resolve(socket))
  sent.on('response', (response) => {
    if (kind === 'events' && response.statusCode === 200) resolve(response)
    else reject(new Error(`answered ${response.statusCode}`))
  })
  return promise
}

/** A WebSocket and a stream of events, each opened again when it ends. */
export function startStreams(place: Omit<Place, 'address'>): Streams {
  const failures: string[] = []
  const streams = { cuts: { socket: 0, events: 0 }, heard: { socket: 0, events: 0 }, failures }
  const stopping = new AbortController()
  const current = new Map<string, { destroy(): unknown }>()
  const keep = async (kind: 'socket' | 'events'): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await listen(kind)
      } catch (error) {
        if (!stopping.signal.aborted) streams.failures.push(`${kind}: ${String(error)}`)
      }
      if (stopping.signal.aborted) return
      streams.cuts[kind] += 1
      await pause(ROUND_MILLISECONDS)
    }
  }
  const listen = async (kind: 'socket' | 'events'): Promise<void> => {
    const { web, domain } = place
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    const headers = { host: domain, ...(kind === 'socket' ? upgrade : {}) }
    const sent = request({
      host: web.addressOf(domain),
      port: web.port,
      servername: domain,
      path: `/${kind}`,
      headers,
      agent: false,
      ca: web.authority,
    }).end()
    current.set(kind, sent)
    const stream = await streamOf(sent, kind)
    // The request no longer has the socket of an upgrade.
    current.set(kind, stream)
    stream.on('data', () => (streams.heard[kind] += 1))
    await Promise.race([once(stream, 'end'), once(stream, 'close')]).catch(() => undefined)
  }
  const running = Promise.all([keep('socket'), keep('events')])
  return {
    ...streams,
    stop: async () => {
      stopping.abort()
      for (const one of current.values()) one.destroy()
      await running
    },
  }
}
