import { request as httpsRequest } from 'node:https'

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The parsed body; undefined when it is no JSON. */
  // eslint-disable-next-line typescript/no-explicit-any -- A test reads whatever shape it expects and fails on another.
  readonly json: any
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
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) })
        })
      },
    )
    request.on('error', reject)
    request.end(payload)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
