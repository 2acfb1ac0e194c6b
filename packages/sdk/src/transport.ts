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
