import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { guarded } from '@fleet/kernel'
import { ownGitEnvironment } from './run-git.ts'

/** CGI headers of Git are a few hundred bytes. */
const MAX_HEAD_BYTES = 16 * 1024

export interface BackendOptions {
  /** Folder of the bare repositories. */
  readonly repositories: string
  /** PATH and the like for the programs of Git. */
  readonly programs: Readonly<Record<string, string>>
}

/** Hands one request to `git http-backend` and passes its answer on as it comes (RFC 3875). */
export function answerByBackend(
  request: IncomingMessage,
  response: ServerResponse,
  service: { readonly path: string; readonly query: string },
  { repositories, programs }: BackendOptions,
): void {
  // The folder may belong to another user than this process, as under sudo; it is this fleet's own all the same.
  const backend = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
    env: {
      ...ownGitEnvironment(programs),
      GIT_PROJECT_ROOT: repositories,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: service.path,
      QUERY_STRING: service.query,
      ...requestVariables(request),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  backend.once('error', () => fail(response))
  // A reader that disconnects closes the pipe under the writer; the exit of the process is report enough.
  backend.stdin.on('error', () => undefined)
  response.once('close', () => backend.kill())
  request.pipe(backend.stdin)
  passOn(backend, response)
}

function requestVariables({ method, headers, socket }: IncomingMessage): Record<string, string> {
  const given = {
    CONTENT_TYPE: headers['content-type'],
    CONTENT_LENGTH: headers['content-length'],
    HTTP_CONTENT_ENCODING: headers['content-encoding'],
    GIT_PROTOCOL: headers['git-protocol']?.toString(),
  }
  const sent: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) if (value !== undefined) sent[name] = value
  return {
    REQUEST_METHOD: method ?? 'GET',
    REMOTE_ADDR: socket.remoteAddress ?? '',
    ...sent,
  }
}

function passOn({ stdout }: ChildProcessByStdio<Writable, Readable, null>, response: ServerResponse): void {
  let head = Buffer.alloc(0)
  const read = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1 && head.length < MAX_HEAD_BYTES) return
    stdout.off('data', collect)
    if (end === -1) return fail(response)
    writeHead(response, head.toString('latin1', 0, end))
    response.write(head.subarray(end + 4))
    stdout.pipe(response)
  }
  const collect = guarded(read, () => void response.destroy())
  stdout.on('data', collect)
  stdout.once('end', () => fail(response))
}

function writeHead(response: ServerResponse, head: string): void {
  const fields = head.split('\r\n').map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  const status = fields.find(([name]) => name === 'status')?.[1] ?? '200'
  const headers = Object.fromEntries(fields.filter(([name]) => name !== 'status'))
  response.writeHead(Number.parseInt(status, 10), headers)
}

/** Only if nothing was sent yet; otherwise the client sees the broken connection. */
function fail(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(500).end()
}
