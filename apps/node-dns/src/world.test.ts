import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Catalog, catalogText } from '@fleet/dns'
import { type Clock, systemClock } from '@fleet/kernel'
import packet, {
  type DecodedPacket,
  type OptAnswer,
  type Packet,
  type Question,
  type RecordType,
} from 'dns-packet'
import { frame, FrameReader } from './frames.ts'
import { decodeWhole } from './message.ts'
import { type Listener, startListener } from './listener.ts'
import { openSockets, portOf, type Sockets } from './sockets.ts'

/** Loopback addresses stand for tunnel addresses: the member, its neighbour, and somebody unknown. */
export const MEMBER = '127.0.0.2'
export const NEIGHBOUR = '127.0.0.3'
export const STRANGER = '127.0.0.4'
const HERE = '127.0.0.1'

export const CATALOG: Catalog = {
  requesters: { [MEMBER]: 2, [NEIGHBOUR]: 3 },
  records: { 'gateway.fleet': '10.44.0.1' },
  suffixes: { berlin: '10.44.0.4' },
  overrides: { 'node:2': { records: {}, suffixes: { berlin: '192.168.7.4' } } },
}

/** Answers a question that came to the server outside; it may send several replies, or none. */
export type Outside = (query: DecodedPacket, send: (reply: Buffer) => void, message: Buffer) => void

export interface World extends AsyncDisposable {
  readonly port: number
  readonly catalogPath: string
  readonly listener: Listener
  /** What came to the server outside, in order. */
  readonly forwarded: DecodedPacket[]
  publish(catalog: Catalog | string): void
  /** The server outside is gone. */
  closeOutside(): void
  /** Sends bytes over UDP from an address; the reply. */
  send(message: Buffer, from?: string): Promise<Buffer>
  ask(name: string, type?: RecordType, from?: string): Promise<DecodedPacket>
}

export interface WorldOptions {
  readonly catalog?: Catalog | string
  readonly outside?: Outside
  readonly clock?: Clock
  /** A folder that an earlier world left, for a restart. */
  readonly folder?: string
}

/** A listener on loopback, and the server outside that it asks. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { outside = elsewhere, clock = systemClock } = options
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'fleet-node-dns-'))
  const catalogPath = join(folder, 'catalog.json')
  const publish = (catalog: Catalog | string): void => {
    writeFileSync(`${catalogPath}.next`, typeof catalog === 'string' ? catalog : catalogText(catalog))
    renameSync(`${catalogPath}.next`, catalogPath)
  }
  publish(options.catalog ?? CATALOG)
  const forwarded: DecodedPacket[] = []
  let isOutsideOpen = true
  const sockets = await openSockets({ address: HERE, port: 0 })
  const server = await startOutside((query, reply, message) => {
    forwarded.push(query)
    outside(query, reply, message)
  })
  const upstream = { address: HERE, port: portOf(server.tcp) }
  const listener = await startListener({ sockets, catalogPath, upstream, clock, log: () => undefined })
  const port = portOf(sockets.tcp)
  const send: World['send'] = (message, from = MEMBER) => overUdp(port, message, from)
  return {
    port,
    catalogPath,
    listener,
    forwarded,
    publish,
    closeOutside: () => {
      isOutsideOpen = false
      server.udp.close()
    },
    send,
    ask: async (name, type = 'A', from) => packet.decode(await send(queryFor(name, type), from)),
    [Symbol.asyncDispose]: async () => {
      await listener.stop()
      if (isOutsideOpen) server.udp.close()
      server.tcp.close()
      if (options.folder === undefined) rmSync(folder, { recursive: true })
    },
  }
}

/** A query as a resolver sends it, with EDNS. */
export const queryFor = (name: string, type: RecordType = 'A', parts: Packet = {}): Buffer =>
  packet.encode({
    id: 4711,
    type: 'query',
    flags: packet.RECURSION_DESIRED,
    questions: [{ name, type }],
    additionals: [{ ...OPTION, udpPayloadSize: 1400 }],
    ...parts,
  })

export const OPTION = {
  type: 'OPT' as const,
  name: '.',
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
} satisfies OptAnswer

/** The replies to messages on one TCP connection, written in the given pieces. */
export async function overTcp(port: number, pieces: readonly Buffer[], count: number): Promise<Buffer[]> {
  const socket = connect({ host: HERE, port, localAddress: MEMBER, noDelay: true })
  const reader = new FrameReader()
  const replies: Buffer[] = []
  for (const piece of pieces) {
    socket.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  for await (const chunk of socket) {
    replies.push(...reader.push(chunk as Buffer)) // A socket without an encoding gives bytes.
    if (replies.length >= count) break
  }
  socket.destroy()
  return replies
}

export const rcodeOf = (reply: Buffer): number => reply.readUInt16BE(2) & 0xf

export const addressesOf = (reply: Packet): readonly unknown[] =>
  (reply.answers ?? []).map((record) => ('data' in record ? record.data : undefined))

/** The answer of the server outside to a question: one address. */
export const outsideAnswer = (query: DecodedPacket, change: Packet = {}): Buffer => {
  const [question] = query.questions ?? []
  return packet.encode({
    ...(query.id === undefined ? {} : { id: query.id }),
    type: 'response',
    flags: packet.RECURSION_AVAILABLE,
    questions: question ? [question] : [],
    answers: [{ type: 'A', name: question?.name ?? '.', ttl: 77, data: '203.0.113.7' }],
    ...change,
  })
}

/** Sends every question back as an answer without records. */
export const echo: Outside = (_query, send, message) => {
  const reply = Buffer.from(message)
  reply.writeUInt8(0x81, 2)
  send(reply)
}

const elsewhere: Outside = (query, send) => send(outsideAnswer(query))

export const questionOf = ({ questions }: Packet): Question | undefined => questions?.[0]

async function startOutside(answer: Outside): Promise<Sockets> {
  const sockets = await openSockets({ address: HERE, port: 0 })
  sockets.udp.on('message', (message: Buffer, { address, port }: RemoteInfo) =>
    answer(readable(message), (reply) => sockets.udp.send(reply, port, address), message),
  )
  sockets.tcp.on('connection', (socket) => {
    const reader = new FrameReader()
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk: Buffer) => {
      for (const message of reader.push(chunk))
        answer(readable(message), (reply) => void socket.end(frame(reply)), message)
    })
  })
  return sockets
}

/** What is forwarded may be nothing that a library reads. */
const readable = (message: Buffer): DecodedPacket =>
  decodeWhole(message) ?? packet.decode(queryFor('unreadable.example'))

async function overUdp(port: number, message: Buffer, from: string): Promise<Buffer> {
  const socket = createSocket('udp4')
  try {
    socket.bind({ address: from, port: 0 })
    await once(socket, 'listening')
    socket.send(message, port, HERE)
    const [reply] = (await once(socket, 'message')) as [Buffer] // The event's own arguments.
    return reply
  } finally {
    socket.close()
  }
}
