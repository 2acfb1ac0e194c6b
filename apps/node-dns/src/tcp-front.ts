import type { Server, Socket } from 'node:net'
import { guarded } from '@fleet/kernel'
import { frame, FrameReader } from './frames.ts'
import type { InHand } from './in-hand.ts'
import type { Forward, Respond } from './responder.ts'

const IDLE_MILLISECONDS = 10_000
const MAX_CONNECTIONS = 256
const MAX_CONNECTIONS_OF_ONE = 32
/** Further questions of one connection stay unread until so many have their answer. */
const MAX_IN_HAND_OF_ONE = 64

export interface TcpFrontDeps {
  readonly respond: Respond
  readonly forward: Forward
  readonly inHand: InHand
}

/** Answers what comes in over TCP, several questions on one connection in any order (RFC 7766). Returns its end. */
export function answerTcp(server: Server, deps: TcpFrontDeps): () => void {
  const open = new Map<Socket, string>()
  server.maxConnections = MAX_CONNECTIONS
  const accept = (socket: Socket): void => {
    const requester = socket.remoteAddress
    const ofOne = [...open.values()].filter((other) => other === requester).length
    if (requester === undefined || ofOne >= MAX_CONNECTIONS_OF_ONE) return void socket.destroy()
    open.set(socket, requester)
    socket.on('close', () => open.delete(socket))
    answerConnection(socket, requester, deps)
  }
  server.on(
    'connection',
    guarded(accept, (_error, socket) => void socket.destroy()),
  )
  // A failed accept, as when file descriptors run out, concerns that client alone.
  server.on('error', () => undefined)
  return () => {
    server.close()
    for (const socket of open.keys()) socket.destroy()
  }
}

function answerConnection(
  socket: Socket,
  requester: string,
  { respond, forward, inHand }: TcpFrontDeps,
): void {
  const reader = new FrameReader()
  /** Cut from what was read, and not looked at yet: one chunk has up to two thousand. */
  const unread: Buffer[] = []
  let waiting = 0
  const send = (reply: Buffer): void => void (socket.writable && socket.write(frame(reply)))
  const later = async (reply: Promise<Buffer>): Promise<void> => {
    if (++waiting >= MAX_IN_HAND_OF_ONE) socket.pause()
    try {
      send(await reply)
    } catch {
      socket.destroy()
    }
    waiting -= 1
    answerNext()
  }
  socket.setTimeout(IDLE_MILLISECONDS, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  const answer = (message: Buffer): void => {
    const reply = respond(message, requester, forward)
    if (reply instanceof Promise) inHand.add(later(reply))
    else if (reply) send(reply)
    // Whoever sends what gets no answer over UDP is no resolver; here it would only hold a connection.
    else socket.destroy()
  }
  const mayAnswer = (): boolean => waiting < MAX_IN_HAND_OF_ONE && !socket.destroyed
  const answerNext = guarded(
    (): void => {
      while (mayAnswer()) {
        const message = unread.shift()
        if (!message) return void socket.resume()
        answer(message)
      }
    },
    () => void socket.destroy(),
  )
  socket.on(
    'data',
    guarded(
      (chunk: Buffer): void => {
        unread.push(...reader.push(chunk))
        answerNext()
      },
      () => void socket.destroy(),
    ),
  )
}
