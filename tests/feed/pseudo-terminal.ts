import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Person } from '../../apps/cli/src/run-harness.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** util-linux makes the terminal; elsewhere `script` is another program. */
export const noTerminal = (): string | undefined =>
  process.platform === 'linux' && existsSync('/usr/bin/script') ? undefined : 'needs script of util-linux'

/** A command of the real program on a terminal of its own. */
export interface OnTerminal extends AsyncDisposable {
  /** Everything that the terminal got. */
  output(): string
  press(keys: string): void
  /** Sends the signal to the command itself. */
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<number | null>
}

/** Runs `fleet` with the words as the person, on a terminal of 100 columns and 20 rows, of a kind by its `TERM`. */
export function onTerminal(
  person: Person,
  words: readonly string[],
  terminal = 'xterm-256color',
): OnTerminal {
  const pidFile = join(person.home, 'pid')
  const program = [process.execPath, join(ROOT, 'apps/cli/src/main.ts'), ...words].join(' ')
  const line = `stty cols 100 rows 20; echo $$ >${pidFile}; exec ${program}`
  const child = spawn('/usr/bin/script', ['-qefc', line, '/dev/null'], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      HOME: person.home,
      FLEET_HOME: join(person.home, 'checkout/.fleet'),
      TERM: terminal,
      SHELL: '/bin/sh',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'close').then(() => child.exitCode)
  return {
    output: () => text,
    press: (keys) => void child.stdin.write(keys),
    kill: (signal) => process.kill(Number(readFileSync(pidFile, 'utf8')), signal),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
