import { forTerminal } from '#/print/text.ts'
import { CLEAR, ENTER, frame, LEAVE } from './frame.ts'

/** The whole terminal, until it is disposed of. */
export interface Screen extends Disposable {
  readonly columns: number
  readonly rows: number
  draw(lines: readonly string[]): void
}

export interface ScreenEvents {
  /** One key: a letter, or a name such as `up`. */
  readonly onKey: (key: string) => void
  /** The size changed, or the program came back from the background. */
  readonly onChange: () => void
}

const KEYS: Readonly<Record<string, string>> = {
  '\u0003': 'ctrl-c',
  '\u001A': 'ctrl-z',
  '\t': 'tab',
  '\u001B[A': 'up',
  '\u001B[B': 'down',
  '\u001B[5~': 'page-up',
  '\u001B[6~': 'page-down',
  '\u001B[H': 'home',
}
// eslint-disable-next-line no-control-regex -- Keys of a terminal begin with a control character.
const KEY = /\u001B\[[\d;]*[A-Za-z~]|[^]/gu

/**
 * Takes the terminal of this process. It is given back on every way out: disposal, an error that nobody caught, the end of
 * the process and the signals that end it.
 */
export function takeScreen({ onKey, onChange }: ScreenEvents): Screen {
  const { stdin, stdout } = process
  let shown: readonly string[] = []
  let taken = false
  const take = (): void => {
    taken = true
    shown = []
    stdin.setRawMode(true)
    stdin.resume()
    stdout.write(ENTER)
  }
  const giveBack = (): void => {
    if (!taken) return
    taken = false
    stdout.write(LEAVE)
    stdin.setRawMode(false)
    stdin.pause()
  }
  const anew = (): void => {
    shown = []
    stdout.write(CLEAR)
    onChange()
  }
  const back = (): void => {
    take()
    onChange()
  }
  const press = (bytes: Buffer): void => {
    for (const [text] of bytes.toString('utf8').matchAll(KEY)) {
      const key = KEYS[text] ?? text
      if (key !== 'ctrl-z') onKey(key)
      else {
        giveBack()
        process.kill(process.pid, 'SIGTSTP')
      }
    }
  }
  const end = (signal: NodeJS.Signals): void => {
    giveBack()
    process.off(signal, end)
    // As the signal would have ended it.
    process.kill(process.pid, signal)
  }
  const ending = ['SIGTERM', 'SIGHUP'] as const
  for (const signal of ending) process.on(signal, end)
  process.on('exit', giveBack)
  process.on('SIGCONT', back)
  stdout.on('resize', anew)
  stdin.on('data', press)
  take()
  return {
    get columns() {
      return stdout.columns || 80
    },
    get rows() {
      return stdout.rows || 24
    },
    draw: (lines) => {
      if (!taken) return
      const safe = lines.map(forTerminal)
      const text = frame(shown, safe)
      shown = safe
      if (text !== '') stdout.write(text)
    },
    [Symbol.dispose]: () => {
      for (const signal of ending) process.off(signal, end)
      process.off('exit', giveBack)
      process.off('SIGCONT', back)
      stdout.off('resize', anew)
      stdin.off('data', press)
      giveBack()
    },
  }
}
