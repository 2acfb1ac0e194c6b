import { spawn } from 'node:child_process'
import type { Failure } from '../suite/outcome.ts'

const LAST_WORDS = 4000

/** Runs one of the project's own programs; its failure is one failure, with the last of what it printed. */
export function runProgram(
  root: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly Failure[]> {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // It takes SIGTERM as the wish to end and cleans up behind itself; a signal of Node would leave its children.
  const stop = (): void => void child.kill('SIGTERM')
  signal.addEventListener('abort', stop, { once: true })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => {
      signal.removeEventListener('abort', stop)
      const name = `${words.join(' ')} ended with status ${status ?? 'unknown'}`
      resolve(status === 0 ? [] : [{ name, place: '', error: printed.slice(-LAST_WORDS) }])
    })
  })
}
