import { once } from 'node:events'
import { createServer } from 'node:net'

/** A pool of PHP that answers each request with its variables. */
export interface Variables extends AsyncDisposable {
  readonly socket: string
}

const [BEGIN_LENGTH, END, PARAMS, STDIN, STDOUT] = [8, 3, 4, 5, 6] as const

/** Answers as JSON what a script would find in `$_SERVER`. */
export async function startVariables(socket: string): Promise<Variables> {
  const server = createServer((connection) => {
    let rest: Buffer = Buffer.alloc(0)
    let params: Buffer = Buffer.alloc(0)
    connection.on('error', () => undefined)
    connection.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= BEGIN_LENGTH) {
        const end = BEGIN_LENGTH + rest.readUInt16BE(4) + rest.readUInt8(6)
        if (rest.length < end) return
        const [type, content] = [
          rest.readUInt8(1),
          rest.subarray(BEGIN_LENGTH, BEGIN_LENGTH + rest.readUInt16BE(4)),
        ]
        if (type === PARAMS) params = Buffer.concat([params, content])
        if (type === STDIN && content.length === 0) connection.end(answer(params))
        rest = rest.subarray(end)
      }
    })
  }).listen(socket)
  await once(server, 'listening')
  return { socket, [Symbol.asyncDispose]: async () => void server.close() }
}

function answer(params: Buffer): Buffer {
  const body = JSON.stringify(Object.fromEntries(pairsOf(params)))
  return Buffer.concat([
    record(STDOUT, Buffer.from(`Content-Type: application/json\r\n\r\n${body}`)),
    record(STDOUT, Buffer.alloc(0)),
    record(END, Buffer.alloc(BEGIN_LENGTH)),
  ])
}

function record(type: number, content: Buffer): Buffer {
  const head = Buffer.from([1, type, 0, 1, 0, 0, 0, 0])
  head.writeUInt16BE(content.length, 4)
  return Buffer.concat([head, content])
}

function* pairsOf(params: Buffer): Generator<readonly [string, string]> {
  let at = 0
  const length = (): number => {
    const short = params.readUInt8(at)
    const isLong = short > 127
    const value = isLong ? params.readUInt32BE(at) & 0x7f_ff_ff_ff : short
    at += isLong ? 4 : 1
    return value
  }
  while (at < params.length) {
    const [name, value] = [length(), length()]
    // PHP has no dot and no space in a name of its variables.
    const key = params.toString('utf8', at, at + name).replaceAll(/[. ]/g, '_')
    yield [key, params.toString('utf8', at + name, at + name + value)]
    at += name + value
  }
}
