import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteGenericInterface,
} from 'fastify'

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
  headersTimeoutMilliseconds: 15_000,
  keepAliveTimeoutMilliseconds: 75_000,
  maxHeaderBytes: 16 * 1024,
  maxStreamsPerSession: 100,
  maxConnections: 4096,
} as const

export const secureServer = (
  identity: ServerIdentity,
  handler: (request: Http2ServerRequest, response: Http2ServerResponse) => void,
): Http2SecureServer => {
  const options = {
    cert: identity.certificate,
    key: identity.key,
    minVersion: 'TLSv1.2',
    // Clients that know HTTP/1.1 alone get the same behaviour.
    allowHTTP1: true,
    maxHeaderSize: CONNECTION.maxHeaderBytes,
    settings: {
      maxConcurrentStreams: CONNECTION.maxStreamsPerSession,
      maxHeaderListSize: CONNECTION.maxHeaderBytes,
    },
  } as const
  const server = createSecureServer(options, handler)
  server.maxConnections = CONNECTION.maxConnections
  Object.assign(server, {
    headersTimeout: CONNECTION.headersTimeoutMilliseconds,
    keepAliveTimeout: CONNECTION.keepAliveTimeoutMilliseconds,
  })
  return server
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
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return app
}
