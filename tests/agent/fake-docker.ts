import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'

interface Container {
  state: string
  readonly labels: Readonly<Record<string, string>>
  readonly tty: boolean
  readonly log: { readonly at: string; readonly stream: 1 | 2; readonly text: string }[]
}

/** Docker's interface on a socket, as far as an agent asks it. */
export interface FakeDocker extends AsyncDisposable {
  readonly socket: string
  readonly asked: string[]
  /** Makes or changes a container, with the event of its own. */
  set(name: string, state: string, options?: { readonly processId?: number; readonly tty?: boolean }): void
  remove(name: string): void
  /** An event that leaves everything as it is. */
  happen(name: string, action: string): void
  write(name: string, text: string, stream?: 1 | 2): void
  /** As somebody sets the clock of its machine. */
  setClockBack(milliseconds: number): void
  stop(): Promise<void>
  start(): Promise<void>
}

export async function startFakeDocker(directory: string): Promise<FakeDocker> {
  const socket = join(directory, 'docker.sock')
  const containers = new Map<string, Container>()
  const asked: string[] = []
  const listening = new Set<ServerResponse>()
  const followers = new Map<ServerResponse, string>()
  let now = Date.UTC(2026, 0, 1)
  let server: Server | undefined
  const report = (name: string, Action: string): void => {
    const event = JSON.stringify({ Type: 'container', Action, Actor: { ID: name, Attributes: { name } } })
    for (const response of listening) response.write(`${event}\n`)
  }
  const answer = (url: URL, response: ServerResponse): void => {
    const [, name = ''] = /^\/containers\/([^/]+)\/(?:json|logs)$/.exec(url.pathname) ?? []
    const container = containers.get(decodeURIComponent(name))
    if (url.pathname === '/events') {
      listening.add(response)
      response.on('close', () => listening.delete(response))
      return response.writeHead(200).flushHeaders()
    }
    if (url.pathname === '/containers/json')
      return void response.end(
        JSON.stringify([...containers].map(([one, { state }]) => ({ Names: [`/${one}`], State: state }))),
      )
    if (!container) return void response.writeHead(404).end('{"message":"No such container"}')
    if (url.pathname.endsWith('/json'))
      return void response.end(
        JSON.stringify({
          State: { Status: container.state },
          Config: { Tty: container.tty, Labels: container.labels },
        }),
      )
    const from = Number(url.searchParams.get('since') ?? '0') * 1000
    const tail = Number(url.searchParams.get('tail') ?? '1000000')
    response.writeHead(200).flushHeaders()
    for (const entry of since(container.log.slice(-tail), from)) response.write(framed(entry, container.tty))
    if (url.searchParams.get('follow') !== '1') return void response.end()
    followers.set(response, decodeURIComponent(name))
    response.on('close', () => followers.delete(response))
  }
  const start = async (): Promise<void> => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '')
      answer(new URL(request.url ?? '', 'http://docker'), response)
    })
    server.listen(socket)
    await once(server, 'listening')
  }
  const stop = async (): Promise<void> => {
    server?.closeAllConnections()
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)))
  }
  await start()
  return {
    socket,
    asked,
    set: (name, state, { processId = 7, tty = false } = {}) => {
      const labels = { 'fleet.managed': 'true', 'fleet.process.id': String(processId) }
      const known = containers.get(name)
      containers.set(name, { state, labels, tty, log: known?.log ?? [] })
      report(name, state === 'running' ? 'start' : 'die')
    },
    remove: (name) => {
      containers.delete(name)
      report(name, 'destroy')
    },
    happen: report,
    write: (name, text, stream = 1) => {
      const at = new Date(now++).toISOString().replace('Z', '000001Z')
      const container = containers.get(name)
      container?.log.push({ at, stream, text })
      for (const [response, one] of followers)
        if (one === name) response.write(framed({ at, stream, text }, container?.tty === true))
    },
    setClockBack: (milliseconds) => void (now -= milliseconds),
    stop,
    start,
    [Symbol.asyncDispose]: stop,
  }
}

/** Docker looks for the first one by its time, and sends what follows it. */
function since(log: Container['log'], milliseconds: number): Container['log'] {
  const first = log.findIndex(({ at }) => Date.parse(at) >= milliseconds)
  return first === -1 ? [] : log.slice(first)
}

function framed(
  { at, stream, text }: { readonly at: string; readonly stream: 1 | 2; readonly text: string },
  tty: boolean,
): Buffer {
  const bytes = Buffer.from(`${at} ${text}\n`)
  if (tty) return bytes
  const head = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0])
  head.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}
