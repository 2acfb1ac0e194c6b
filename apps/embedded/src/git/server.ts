import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { guarded } from '@fleet/kernel'
import { answerByBackend, type BackendOptions } from './backend.ts'

/** More readers at once than a person's machine makes; each is a process. */
const MAX_READERS = 16

export interface GitServerOptions extends BackendOptions {
  /** 0 for any that is free. */
  readonly port: number
  readonly certificate: string
  readonly key: string
}

/** Serves bare repositories over HTTPS on 127.0.0.1, for reading only. Rejects with EADDRINUSE when the port is taken. */
export interface GitServer extends AsyncDisposable {
  readonly url: string
  /** Serves new connections with another certificate; those that are open stay. */
  renew(leaf: Pick<GitServerOptions, 'certificate' | 'key'>): void
}

export async function startGitServer(options: GitServerOptions): Promise<GitServer> {
  let readers = 0
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const service = serviceOf(request)
    if (service === undefined) return refuse(response, 403, 'This server is read-only.')
    if (readers >= MAX_READERS) return refuse(response, 503, 'Too many simultaneous requests.')
    readers += 1
    response.once('close', () => (readers -= 1))
    answerByBackend(request, response, service, options)
  }
  const server = createServer(
    { cert: options.certificate, key: options.key },
    guarded(answer, (_error, _request, response) => void response.destroy()),
  )
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  // A failed accept, as when file descriptors run out, concerns that client alone.
  server.on('error', () => undefined)
  const { port } = server.address() as AddressInfo // A TCP server has this form of address.
  return {
    url: `https://127.0.0.1:${port}`,
    renew: ({ certificate, key }) => server.setSecureContext({ cert: certificate, key }),
    [Symbol.asyncDispose]: () => close(server),
  }
}

/** The two requests of a fetch, split as CGI wants them; undefined for everything else, pushes included. */
function serviceOf({
  method,
  url,
}: IncomingMessage): { readonly path: string; readonly query: string } | undefined {
  const match = /^(\/[a-z0-9-]+\.git)\/(info\/refs|git-upload-pack)(?:\?(.*))?$/.exec(url ?? '')
  if (!match) return undefined
  const [, repository = '', service = '', query = ''] = match
  const isListing = method === 'GET' && service === 'info/refs' && query === 'service=git-upload-pack'
  const isFetch = method === 'POST' && service === 'git-upload-pack' && query === ''
  return isListing || isFetch ? { path: `${repository}/${service}`, query } : undefined
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end(`${text}\n`)
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
