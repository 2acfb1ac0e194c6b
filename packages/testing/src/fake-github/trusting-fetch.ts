import { request as httpsRequest } from 'node:https'

/** `fetch` that trusts one authority alone, for texts. Rejects with a TypeError where nobody answers, as the real one. */
export const trustingFetch =
  (ca: string): typeof fetch =>
  (input, init) =>
    new Promise((resolve, reject) => {
      const headers = Object.fromEntries(new Headers(init?.headers))
      const signal = init?.signal ?? undefined
      const options = { ca, agent: false, method: init?.method ?? 'GET', headers, ...(signal && { signal }) }
      const request = httpsRequest(String(input), options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const given = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
          const answer = { status: response.statusCode ?? 0, headers: Object.fromEntries(given) }
          resolve(new Response(Buffer.concat(chunks), answer))
        })
      })
      request.on('error', (cause) =>
        reject(signal?.aborted ? cause : new TypeError('fetch failed', { cause })),
      )
      request.end(init?.body)
    })
