import { STATUS_CODES } from 'node:http'
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import type { Duplex } from 'node:stream'
import { errorRegistry, LITERALS } from '@fleet/contract'
import { guarded } from '@fleet/kernel'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteGenericInterface,
} from 'fastify'
import { requestIdOf } from './request-id.ts'
import type { ServedHosts } from './served-hosts.ts'

export type App = FastifyInstance<Http2SecureServer, Http2ServerRequest, Http2ServerResponse>
/** Path texts and query texts; schemas of the catalogue give them their types. */
export interface Texts extends RouteGenericInterface {
  Params: Readonly<Record<string, string>>
  Querystring: Readonly<Record<string, string | readonly string[]>>
}
export type Request<R extends RouteGenericInterface = Texts> = FastifyRequest<
  R,
  Http2SecureServer,
  Http2ServerRequest
>
export type Reply<R extends RouteGenericInterface = RouteGenericInterface> = FastifyReply<
  R,
  Http2SecureServer,
  Http2ServerRequest,
  Http2ServerResponse
>

export interface ServerIdentity {
  /** PEM chain, leaf first. */
  readonly certificate: string
  /** PEM private key. */
  readonly key: string
}

/** Bounds of a connection. A body has its own bound in body.ts. */
const CONNECTION = {
  handshakeTimeoutMilliseconds: 15_000,
  headersTimeoutMilliseconds: 15_000,
  keepAliveTimeoutMilliseconds: 75_000,
  maxHeaderBytes: 16 * 1024,
  maxStreamsPerSession: 100,
} as const

export interface ServerDeps {
  /** Receives what no answer reported; the connection has been or is being ended. */
  readonly onFault?: ((error: unknown) => void) | undefined
  /** A request under any other host is refused, whatever it asks for; all are served when absent. */
  readonly hosts?: ServedHosts | undefined
  /** Names a request that is refused before it reaches the router; such answers have no id when absent. */
  readonly freshId?: (() => string) | undefined
}

export const secureServer = (
  identity: ServerIdentity,
  handler: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
  { onFault = () => undefined, hosts, freshId }: ServerDeps = {},
): Http2SecureServer => {
  const options = {
    cert: identity.certificate,
    key: identity.key,
    minVersion: 'TLSv1.2',
    handshakeTimeout: CONNECTION.handshakeTimeoutMilliseconds,
    // Clients that know HTTP/1.1 alone get the same behaviour.
    allowHTTP1: true,
    // Answered below, in the form of every other refusal.
    requireHostHeader: false,
    maxHeaderSize: CONNECTION.maxHeaderBytes,
    // Else the first answer of a connection waits up to 40 ms for the client to acknowledge its TLS tickets.
    noDelay: true,
    settings: {
      maxConcurrentStreams: CONNECTION.maxStreamsPerSession,
      // Above this a stream is reset without an answer, so it lies above the bound that is answered.
      maxHeaderListSize: CONNECTION.maxHeaderBytes * 4,
    },
  } as const
  const serve = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    const code = headFault(request, hosts)
    if (code) refuse(request, response, code, freshId)
    else handler(request, response)
  }
  const server = createSecureServer(
    options,
    guarded(serve, (error, _request, response) => {
      onFault(error)
      endAnswer(response)
    }),
  )
  const endSocket = (error: unknown, _cause: Error, socket: Duplex): void => {
    onFault(error)
    socket.destroy()
  }
  server.on('clientError', guarded(refuseUnreadable, endSocket))
  // A failed accept, as when file descriptors run out, concerns that client alone.
  server.once('listening', () => server.on('error', onFault))
  Object.assign(server, {
    headersTimeout: CONNECTION.headersTimeoutMilliseconds,
    keepAliveTimeout: CONNECTION.keepAliveTimeoutMilliseconds,
  })
  return server
}

/** Ends one stream of HTTP/2, or the connection of HTTP/1.1, which has no stream whatever the type says. */
function endAnswer({ req, stream, socket }: Http2ServerResponse): void {
  if (req.httpVersionMajor === 2) stream.destroy()
  else socket?.destroy()
}

type HeadFault = 'http.400' | 'http.421' | 'http.431'

function headFault(request: Http2ServerRequest, hosts: ServedHosts | undefined): HeadFault | undefined {
  if (hasLargeHead(request)) return 'http.431'
  if (lacksHost(request)) return 'http.400'
  const host = hosts?.faultOf(request)
  return host && (host === 'foreign' ? 'http.421' : 'http.400')
}

/** The parser of HTTP/1.1 refuses such a head itself. */
const hasLargeHead = ({ httpVersionMajor, rawHeaders }: Http2ServerRequest): boolean =>
  httpVersionMajor === 2 &&
  rawHeaders.reduce((bytes, text) => bytes + text.length, 0) > CONNECTION.maxHeaderBytes

/** RFC 9112, 3.2 */
const lacksHost = ({ httpVersion, headers }: Http2ServerRequest): boolean =>
  httpVersion === '1.1' && headers.host === undefined

/** As `sendAnswer` puts a refusal on the wire (API-015). */
function refuse(
  { headers }: Http2ServerRequest,
  response: Http2ServerResponse,
  code: HeadFault,
  freshId: ServerDeps['freshId'],
): void {
  const { status, message } = errorRegistry[code]
  const id = freshId && requestIdOf(headers[LITERALS.requestIdHeader], freshId)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(id === undefined ? {} : { [LITERALS.requestIdHeader]: id }),
  })
  response.end(JSON.stringify({ error: { code, message, ...(id === undefined ? {} : { request_id: id }) } }))
}

/** What is no HTTP/1.1 request, or has too long a head, gets an answer of the usual form and no second chance. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  const code = CLIENT_ERRORS[error.code ?? ''] ?? 'http.400'
  const { status, message } = errorRegistry[code]
  const body = JSON.stringify({ error: { code, message } })
  const { _httpMessage: answering } = socket as { _httpMessage?: { readonly headersSent: boolean } } // The answer that Node is writing on the socket.
  // In the middle of an answer these bytes would look like a part of it.
  if (!socket.writable || answering?.headersSent) return void socket.destroy()
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: application/json; charset=utf-8`
  socket.end(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`)
}

const CLIENT_ERRORS: Readonly<Record<string, 'http.408' | 'http.431' | undefined>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'http.408',
  HPE_HEADER_OVERFLOW: 'http.431',
}

/** The router without a socket: listeners hand it their requests. Bodies stay unread until a handler asks for them. */
export function makeApp(identity: ServerIdentity): App {
  const app: App = Fastify({
    http2: true,
    https: { allowHTTP1: true },
    serverFactory: (handler) => secureServer(identity, handler),
    routerOptions: { maxParamLength: 8192 },
    forceCloseConnections: 'idle',
    logger: false,
    // What the router cannot read is answered like every other refusal.
    frameworkErrors: (error, request, reply) => {
      app.errorHandler(error, request as never, reply as never) // Fastify types its handler for HTTP/1.1 alone.
    },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return app
}
