import { Agent, request as httpsRequest } from 'node:https'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ADDRESS, type From, type TestGateway } from './harness.ts'

/** fetch over node:https, so that a test can choose the source address and trust the fleet root alone. */
const fetchFrom =
  (ca: string, from: From) =>
  (input: string | URL, init: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const headers = Object.fromEntries(new Headers(init.headers))
      const agent = new Agent({ ca, localAddress: ADDRESS[from] })
      const request = httpsRequest(
        new URL(input),
        { method: init.method ?? 'GET', headers, agent },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () => {
            agent.destroy()
            const empty = response.statusCode === 204 || response.statusCode === 202
            const entries = Object.entries(response.headers).map(([name, value]): [string, string] => [
              name,
              String(value),
            ])
            resolve(
              new Response(empty ? null : Buffer.concat(chunks), {
                status: response.statusCode ?? 500,
                headers: entries,
              }),
            )
          })
        },
      )
      request.on('error', reject)
      request.end(typeof init.body === 'string' ? init.body : undefined)
    })

export interface McpTarget {
  readonly path: string
  readonly from?: From
}

/** The official client, connected to an endpoint for as long as the work takes. */
export async function withMcpClient<T>(
  fleet: Pick<TestGateway, 'url' | 'ca'>,
  { path, from = 'gateway' }: McpTarget,
  work: (client: Client, transport: StreamableHTTPClientTransport) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(path, fleet.url), {
    fetch: fetchFrom(fleet.ca, from),
  })
  await client.connect(transport)
  try {
    return await work(client, transport)
  } finally {
    await client.close()
  }
}
