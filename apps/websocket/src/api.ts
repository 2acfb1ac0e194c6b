import type { IncomingMessage, ServerResponse } from 'node:http'
import { type App, answerApiRequest } from '@fleet/pusher'
import type { Counters } from './counters.ts'

export interface ApiDeps {
  readonly findApp: (id: string) => App | undefined
  readonly counters: Counters
  readonly maxRequestBytes: number
  /** Unix time in seconds. */
  readonly seconds: () => number
  readonly metrics: () => string
}

/** Answers one request over HTTP: the API, `/up` for whoever watches the server, `/metrics` for this machine alone. */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  deps: ApiDeps,
): Promise<void> {
  const url = URL.parse(request.url ?? '/', 'http://server')
  if (!url) return send(response, 400, { error: 'The path cannot be read.' })
  if (url.pathname === '/up') return send(response, 200, { status: 'ok' })
  if (url.pathname === '/metrics' && isLocal(request)) return sendText(response, deps.metrics())
  const body = await readBody(request, deps.maxRequestBytes)
  if (!body)
    return send(response, 413, { error: `A request can have at most ${deps.maxRequestBytes} bytes.` })
  deps.counters.apiRequests += 1
  const { status, body: answered } = answerApiRequest(
    deps.findApp,
    { method: request.method ?? 'GET', path: url.pathname, query: joined(url.searchParams), body },
    deps.seconds(),
  )
  if (status >= 400) deps.counters.apiRefusals += 1
  send(response, status, answered)
}

/** Undefined when it is longer than it may be. By listeners: an iterator costs more than everything else of a publish. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      // The rest is read and thrown away, so that the answer arrives.
      if (bytes <= maxBytes) chunks.push(chunk)
    })
    request.on('end', () => {
      const [only = Buffer.alloc(0), second] = chunks
      if (bytes > maxBytes) resolve(undefined)
      else resolve(second ? Buffer.concat(chunks) : only)
    })
    request.on('error', reject)
  })
}

/** Several values of one parameter are joined by commas, as they are signed. */
function joined(parameters: URLSearchParams): Readonly<Record<string, string>> {
  const names = new Set(parameters.keys())
  return Object.fromEntries([...names].map((name) => [name, parameters.getAll(name).join(',')]))
}

/** A server on one address of its machine is asked from that same address there. */
const isLocal = ({ socket: { remoteAddress = '', localAddress } }: IncomingMessage): boolean =>
  remoteAddress === localAddress || /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress)

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' })
  response.end(text)
}
