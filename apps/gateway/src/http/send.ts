import type { ServerHttp2Stream } from 'node:http2'
import { Readable } from 'node:stream'
import type { FastifyReply, RouteGenericInterface } from 'fastify'
import type { Answer } from './answer.ts'
import { SPACE } from './probe.ts'
import type { Reply } from './server.ts'

/** Puts an answer on the wire with the headers that every answer has (API-015, GW-014). `mediaType` is that of its lines, or of a body that is no JSON. */
export function sendAnswer<R extends RouteGenericInterface>(
  reply: Reply<R>,
  requestId: string,
  answer: Answer,
  mediaType?: string,
): Reply<R> {
  const plain = reply as unknown as FastifyReply // Status and payload types of a generic route are not known here.
  plain
    .code(answer.status)
    .header('x-fleet-request-id', requestId)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
  // The rest of a refused body is dropped with its connection; HTTP/2 ends the stream alone and has no such header.
  if ((answer.status === 413 || answer.status === 408) && plain.request.raw.httpVersionMajor === 1)
    plain.header('connection', 'close')
  if (answer.error?.code === 'peer.identity_unknown') endConnection(reply)
  if (answer.lines && hasGone(reply)) {
    void answer.lines[Symbol.asyncIterator]().return?.()
    plain.send()
  } else if (answer.lines)
    plain.type(mediaType ?? 'application/x-ndjson').send(Readable.from(encoded(answer.lines)))
  else if (answer.page)
    plain.headers(answer.page.headers).type('text/html; charset=utf-8').send(answer.page.html)
  else if (mediaType && answer.status === 200) plain.type(mediaType).send(answer.body)
  else if (answer.body === undefined) plain.send()
  else plain.type('application/json; charset=utf-8').send(JSON.stringify(answer.body))
  return reply
}

/** Whoever belongs to no Node has nothing more to ask on this connection; the answer itself still leaves. */
function endConnection<R extends RouteGenericInterface>(reply: Reply<R>): void {
  const { httpVersionMajor, stream } = reply.request.raw
  if (httpVersionMajor === 1) void reply.header('connection', 'close')
  else stream.session?.close()
}

/** A stream of HTTP/2 that has closed does not say so again: its lines would wait for a reader for ever. HTTP/1.1 has no stream. */
const hasGone = <R extends RouteGenericInterface>({ raw }: Reply<R>): boolean =>
  (raw.stream as Partial<ServerHttp2Stream> | undefined)?.destroyed === true // Of HTTP/2, whatever the type says.

/** Not a generator: it must notify its source of a client that disconnected before the first line. */
function encoded(lines: AsyncIterable<unknown>): AsyncIterable<string> {
  const source = lines[Symbol.asyncIterator]()
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const turn = await source.next()
        return turn.done
          ? { done: true, value: undefined }
          : { done: false, value: turn.value === SPACE ? ' ' : `${JSON.stringify(turn.value)}\n` }
      },
      return: async () => {
        await source.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
}
