import { spawn } from 'node:child_process'
import type { Clock } from '@fleet/kernel'
import { systemClock } from '@fleet/kernel'

const TIMEOUT_MILLISECONDS = 20_000
const OUTPUT_MAX_BYTES = 1024 * 1024

export interface ProgramOptions {
  readonly signal: AbortSignal
  readonly clock?: Clock
  readonly environment?: Readonly<Record<string, string>>
  /** Output beyond this ends the program; what came so far is kept. */
  readonly maxBytes?: number
  /** Sees the output instead of keeping it. False ends the program. */
  readonly each?: (chunk: Buffer) => boolean
}

export interface ProgramEnd {
  /** Null when a signal ended it. */
  readonly status: number | null
  readonly output: Buffer
  /** It had more to say than was wanted. */
  readonly cut: boolean
}

export const PROGRAM_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C.UTF-8',
}

/** Runs a program without a shell for at most 20 s, without input, its complaints unread. Rejects when it cannot start. */
export function runProgram(words: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  const { signal, clock = systemClock, environment = {}, maxBytes = OUTPUT_MAX_BYTES } = options
  const [program = '', ...rest] = words
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...PROGRAM_ENVIRONMENT, ...environment },
    })
    const chunks: Buffer[] = []
    let bytes = 0
    let cut = false
    const kill = (): void => void child.kill('SIGKILL')
    const stop = (): void => {
      cut = true
      kill()
    }
    const timer = clock.timer(TIMEOUT_MILLISECONDS)
    void timer.over.then(kill)
    signal.addEventListener('abort', kill, { once: true })
    if (signal.aborted) kill()
    const finish = (): void => {
      timer[Symbol.dispose]()
      signal.removeEventListener('abort', kill)
    }
    child.stdout.on('data', (chunk: Buffer) => {
      if (cut) return
      if (options.each) return options.each(chunk) ? undefined : stop()
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes > maxBytes) stop()
    })
    child.on('error', (error) => (finish(), reject(error)))
    child.on('close', (status) => (finish(), resolve({ status, output: Buffer.concat(chunks), cut })))
  })
}
