import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@fleet/kernel'
import { ensureRoot, issueLeaf, type Root } from '@fleet/pki'

export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly address: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An HTTPS server with scripted responses, under an authority that can be swapped while it runs. */
export interface HttpsGateway {
  readonly url: string
  readonly asked: readonly ReceivedRequest[]
  readonly root: () => Root
  /** From here on another authority signs, as after a renewed or a forged root. */
  swapRoot(): Promise<Root>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts one on loopback. `reply` sees each request after it was read; the gateway itself is handed in for its root. */
export async function startHttpsGateway(
  clock: Clock,
  reply: (asked: ReceivedRequest, gateway: HttpsGateway) => Reply | Promise<Reply>,
): Promise<HttpsGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-gateway-'))
  const makeRoot = (name: string): Promise<Root> =>
    ensureRoot({ directory: join(folder, name), clock, name: `Test root ${name}` })
  let root = await makeRoot('first')
  const asked: ReceivedRequest[] = []
  const server = createServer(
    await leafOf(root, clock),
    (request, response) => void answer(request, response),
  )
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const one = await read(request)
    asked.push(one)
    const { status = 200, headers = {}, body } = await reply(one, gateway)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }
  const port = await listen(server)
  const gateway: HttpsGateway = {
    url: `https://127.0.0.1:${port}`,
    asked,
    root: () => root,
    async swapRoot() {
      root = await makeRoot('second')
      server.setSecureContext(await leafOf(root, clock))
      return root
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return gateway
}

async function leafOf(root: Root, clock: Clock): Promise<{ cert: string; key: string }> {
  const leaf = await issueLeaf(root, { clock, names: [], addresses: ['127.0.0.1'] })
  return { cert: leaf.certificate, key: leaf.key.reveal() }
}

async function read(request: IncomingMessage): Promise<ReceivedRequest> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk)
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body,
    address: request.socket.remoteAddress ?? '',
  }
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)) // A listening TCP server has a port.
  })
