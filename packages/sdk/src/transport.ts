/** One HTTP request as the client hands it to a transport. */
export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly signal: AbortSignal
}

/** The head of an answer and its body as it arrives. */
export interface HttpAnswer {
  /** 0 for a redirect that a browser hides. */
  readonly status: number
  readonly chunks: AsyncIterable<Uint8Array>
}

/** Sends one request once. Rejects when no answer came; follows no redirect. */
export type Transport = (request: HttpRequest) => Promise<HttpAnswer>

/** The part of `fetch` that the client uses. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Record<string, string>
    readonly body?: string
    readonly signal: AbortSignal
    readonly redirect: 'manual'
  },
) => Promise<{ readonly status: number; readonly body: ReadableStream<Uint8Array> | null }>

/** A transport over `fetch`, as browsers and servers have it. */
export const fetchTransport =
  (fetch: Fetch): Transport =>
  async ({ method, url, headers, body, signal }) => {
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
      signal,
      redirect: 'manual',
    })
    return { status: response.status, chunks: chunksOf(response.body) }
  }

/** What the `fetch` of Node sends its requests with; the first is the newer one. */
const DISPATCHERS = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')]

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean
}

/**
 * The platform's `fetch` without limits of its own: that of Node ends what is silent for 300 s, which the gateway may be for longer, and
 * a connection that ends cancels a deployment. The time of a call is the client's. Browsers have no such limit.
 */
export const platformFetch: Fetch = (url, init) => {
  // Before the dispatcher is looked for: Node creates it with the first of these objects.
  const headers = new Headers(init.headers)
  // Undici publishes it under these names, for whoever wants to add to it.
  const dispatcher = DISPATCHERS.map((name) => (globalThis as Record<symbol, unknown>)[name]).find(
    isDispatcher,
  )
  const patient: Dispatcher | undefined = dispatcher && {
    dispatch: (options, handler) =>
      dispatcher.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  }
  const own = { ...init, headers, ...(patient && { dispatcher: patient }) } as RequestInit // Of a dispatcher it calls this one method alone.
  return globalThis.fetch(url, own)
}

const isDispatcher = (value: unknown): value is Dispatcher =>
  typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'

/** Through a reader, since not every browser can iterate a stream. */
async function* chunksOf(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (!stream) return
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // A reader that stops early must not leave the connection open.
    await reader.cancel().catch(() => undefined)
  }
}
