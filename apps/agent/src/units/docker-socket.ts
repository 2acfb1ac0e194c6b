import { type IncomingMessage, request } from 'node:http'
import { type Clock, within } from '@fleet/kernel'

export const DOCKER_SOCKET = '/run/docker.sock'
const ANSWER_MILLISECONDS = 10_000
const ANSWER_MAX_BYTES = 8 * 1024 * 1024

/** Docker does not answer as agreed; `status` where it answered at all. */
export class DockerFailure extends Error {
  override readonly name = 'DockerFailure'
  readonly status: number | undefined
  constructor(status?: number, cause?: unknown) {
    super(`docker: ${status ?? 'no answer'}`, { cause })
    this.status = status
  }
}

/** Docker's own interface on its socket, read only. */
export interface Docker {
  /** Parsed answer of a read. Throws DockerFailure, also after 10 s. */
  read(path: string, signal: AbortSignal): Promise<unknown>
  /** A streaming response; its headers must arrive within 10 s. The signal ends it. Throws DockerFailure. */
  stream(path: string, signal: AbortSignal): Promise<IncomingMessage>
}

export function makeDocker(socket: string, clock: Clock): Docker {
  const open = async (path: string, signal: AbortSignal): Promise<IncomingMessage> => {
    const answer = await within(clock, ANSWER_MILLISECONDS, send(socket, path, signal))
    if (!answer.inTime) throw new DockerFailure()
    if (answer.value.statusCode === 200) return answer.value
    answer.value.destroy()
    throw new DockerFailure(answer.value.statusCode)
  }
  const ending = async <T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const ended = new AbortController()
    try {
      return await work(AbortSignal.any([signal, ended.signal]))
    } catch (error) {
      ended.abort()
      throw error instanceof DockerFailure ? error : new DockerFailure(undefined, error)
    }
  }
  return {
    stream: (path, signal) => ending(signal, (either) => open(path, either)),
    read: (path, signal) =>
      ending(signal, async (either) => {
        const read = await within(clock, ANSWER_MILLISECONDS, open(path, either).then(textOf))
        if (!read.inTime) throw new DockerFailure()
        const value: unknown = JSON.parse(read.value)
        return value
      }),
  }
}

const send = (socketPath: string, path: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, signal, agent: false, headers: { host: 'docker' } }, resolve)
    outgoing.on('error', reject)
    outgoing.end()
  })

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  const arriving: AsyncIterable<Buffer> = answer
  for await (const chunk of arriving) {
    bytes += chunk.length
    if (bytes > ANSWER_MAX_BYTES) throw new DockerFailure()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
