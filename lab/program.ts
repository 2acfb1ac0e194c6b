import { spawn } from 'node:child_process'

/** Something that the lab needs did not work; the message is for the person who asked. */
export class LabFault extends Error {
  override readonly name = 'LabFault'
}

export interface ProgramOptions {
  /** Written to its standard input, which is closed then. */
  readonly input?: string | undefined
  /** The whole environment; that of this process when absent. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly timeoutSeconds?: number | undefined
}

export interface Ended {
  /** Null when a signal ended it. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

export type Words = readonly [string, ...string[]]

const TIMEOUT_SECONDS = 120
const LAST_WORDS = 2000

/** Runs a program to its end and answers how it ended. Throws LabFault when it cannot be started. */
export function attempt([name, ...words]: Words, options: ProgramOptions = {}): Promise<Ended> {
  const { input = '', env = process.env, timeoutSeconds = TIMEOUT_SECONDS } = options
  const child = spawn(name, words, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env,
    timeout: timeoutSeconds * 1000,
    killSignal: 'SIGKILL',
  })
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  // A program that ends without reading closes the pipe; its status says what that means.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new LabFault(`cannot start ${name}`, { cause })))
    child.once('close', (status) => resolve({ status, stdout: stdout(), stderr: stderr() }))
  })
}

/** Standard output of a program that must succeed. Throws LabFault with its last words. */
export async function program(words: Words, options: ProgramOptions = {}): Promise<string> {
  const { status, stdout, stderr } = await attempt(words, options)
  if (status === 0) return stdout
  const said = `${stdout}\n${stderr}`.trim().slice(-LAST_WORDS)
  throw new LabFault(`${words.join(' ')} ended with status ${status ?? 'of a signal'}\n${said}`)
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const parts: string[] = []
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => parts.push(text))
  return () => parts.join('')
}
