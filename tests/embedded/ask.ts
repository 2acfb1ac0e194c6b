import assert from 'node:assert/strict'
import { request as httpsRequest } from 'node:https'

export type JsonObject = Readonly<Record<string, unknown>>

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export interface Ask {
  /** Loopback address to speak from; the gateway's own when absent. */
  readonly from?: string
  readonly body?: unknown
  /** Sent as it is, in the place of `body`. */
  readonly raw?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** One HTTPS request on a connection of its own that trusts the given authority alone. */
export function ask(
  baseUrl: string,
  ca: string,
  method: string,
  path: string,
  options: Ask,
): Promise<Response> {
  const { from = '127.0.0.1', body, raw, headers } = options
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const own =
    payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      new URL(path, baseUrl),
      { method, ca, agent: false, localAddress: from, headers: { ...own, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
        })
      },
    )
    request.on('error', reject)
    request.end(payload)
  })
}

/** The body as a JSON object. Fails on anything else. */
export function objectOf({ text, status }: Response): JsonObject {
  const parsed: unknown = JSON.parse(text)
  return asObject(parsed, `the body of a ${status}`)
}

/** `data` of an envelope that holds one record. */
export const dataOf = (response: Response): JsonObject => asObject(objectOf(response)['data'], 'data')

/** `data` of an envelope that holds a list. */
export function rowsOf(response: Response): readonly JsonObject[] {
  const { data } = objectOf(response)
  assert.ok(Array.isArray(data), 'data is no list')
  return data.map((row) => asObject(row, 'a row'))
}

/** `error` of an envelope. */
export const errorOf = (response: Response): JsonObject => asObject(objectOf(response)['error'], 'error')

export function asObject(value: unknown, what: string): JsonObject {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), `${what} is no object`)
  return value as JsonObject // Just asserted; the compiler sees only `object`.
}
