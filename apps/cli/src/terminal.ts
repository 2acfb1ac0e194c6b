import { isatty } from 'node:tty'
import pc from 'picocolors'

export type Colors = ReturnType<typeof pc.createColors>

/** Where a command reads and writes. Tests pass one of their own. */
export interface Terminal {
  /** The answer. */
  out(text: string): void
  /** Everything said about it: progress, notes, errors. */
  err(text: string): void
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  readonly inIsTerminal: boolean
  /** Width of the answer; Infinity where nothing wraps. */
  readonly columns: number
  readonly outColors: Colors
  readonly errColors: Colors
  /** A line typed after the question; undefined at the end of input. */
  ask(question: string): Promise<string | undefined>
  /** As `ask`, without echo. */
  askSecret(question: string): Promise<string | undefined>
  /** Standard input to its end. */
  readInput(): Promise<string>
}

/** The terminal of this process. */
export function processTerminal(color: boolean | undefined): Terminal {
  const { stdin, stdout, stderr } = process
  const wish = (isTerminal: boolean): Colors => pc.createColors(color ?? isTerminal)
  const outIsTerminal = isatty(1)
  const errIsTerminal = isatty(2)
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    outIsTerminal,
    errIsTerminal,
    inIsTerminal: isatty(0),
    columns: outIsTerminal ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
    outColors: wish(outIsTerminal),
    errColors: wish(errIsTerminal),
    ask: async (question) => (await import('./prompt.ts')).ask(question, false),
    askSecret: async (question) => (await import('./prompt.ts')).ask(question, true),
    readInput: async () => {
      let text = ''
      for await (const chunk of stdin.setEncoding('utf8')) text += String(chunk)
      return text
    },
  }
}
