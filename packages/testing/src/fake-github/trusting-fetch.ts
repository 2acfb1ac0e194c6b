import { request as httpsRequest } from 'node:https'

/** `fetch` that trusts one authority alone, for texts. Rejects with a TypeError where nobody answers, as the real one. */
export const trustingFetch =
  (ca: string): typeof fetch =>
  (input, init) =>
    new Promise((resolve, reject) => {
      const headers = Object.fromEntries(new Headers(init?.headers))
      const signal = init?.signal ?? undefined
      const options = { ca, agent: false, method: init?.method ?? 'GET', headers, ...(signal && { signal }) }
      const address = input instanceof Request ? input.url : input
      const request = httpsRequest(address, options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const given = new Headers()
          for (const [name, value] of Object.entries(response.headers)) given.set(name, String(value))
          resolve(new Response(Buffer.concat(chunks), { status: response.statusCode ?? 0, headers: given }))
        })
      })
      request.on('error', (cause) =>
        reject(signal?.aborted ? cause : new TypeError('fetch failed', { cause })),
      )
      // The library that is tested sends texts alone.
      request.end(typeof init?.body === 'string' ? init.body : undefined)
    })
