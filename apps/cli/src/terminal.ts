import { isatty } from 'node:tty'
import { usage } from './exit.ts'
import type { Prompt, PromptOptions } from './line-prompt.ts'
import { forTerminal } from './print/text.ts'

type Paint = (text: string) => string

/** The few text styles. */
export interface Colors {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly cyan: Paint
}

const same: Paint = (text) => text
/** Text as it is. */
export const plain: Colors = { bold: same, dim: same, red: same, cyan: same }

/** Where a command reads and writes. Tests pass one of their own. */
export interface Terminal {
  /** The answer. */
  out(text: string): void
  /** The answer of a command that an interruption ends, which answers all the same. */
  outAtEnd(text: string): void
  /** Everything said about it: progress, notes, errors. */
  err(text: string): void
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  readonly inIsTerminal: boolean
  /** It cannot show one thing over another. */
  readonly isDumb: boolean
  /** Width of the answer; Infinity where nothing wraps. */
  readonly columns: number
  /** Width of what is said about it. */
  readonly errColumns: number
  readonly outColors: Colors
  readonly errColors: Colors
  /** A line typed after the question; undefined at the end of input. */
  ask(question: string): Promise<string | undefined>
  /** As `ask`, without echo. */
  askSecret(question: string): Promise<string | undefined>
  /** Line after line, with history and completion on a terminal. */
  prompt(options: PromptOptions): Promise<Prompt>
  /** Standard input to its end. */
  readInput(): Promise<string>
}

/** What the surroundings of the process say about its terminal. */
export interface Look {
  readonly color: boolean | undefined
  readonly isDumb: boolean
}

/** The terminal of this process. */
export async function processTerminal({ color, isDumb }: Look): Promise<Terminal> {
  const { stdin, stdout, stderr } = process
  const outIsTerminal = isatty(1)
  const errIsTerminal = isatty(2)
  const [outColors, errColors] = await Promise.all([
    colorsFor(color ?? outIsTerminal),
    colorsFor(color ?? errIsTerminal),
  ])
  return {
    out: writerTo(stdout, outIsTerminal),
    outAtEnd: writerTo(stdout, outIsTerminal),
    err: writerTo(stderr, errIsTerminal),
    outIsTerminal,
    errIsTerminal,
    inIsTerminal: isatty(0),
    isDumb,
    columns: outIsTerminal ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
    errColumns: errIsTerminal ? stderr.columns || 80 : Number.POSITIVE_INFINITY,
    outColors,
    errColors,
    ask: async (question) => (await import('./prompt.ts')).ask(question, false),
    askSecret: async (question) => (await import('./prompt.ts')).ask(question, true),
    prompt: async (options) => (await import('./line-prompt.ts')).linePrompt(options, isatty(0)),
    readInput: async () => {
      const chunks: Uint8Array[] = []
      for await (const chunk of stdin as AsyncIterable<Uint8Array>) chunks.push(chunk) // Without an encoding it gives bytes.
      return inputText(chunks)
    },
  }
}

/** Throws a usage error for bytes that are no UTF-8: they would be stored as other characters. */
export function inputText(chunks: readonly Uint8Array[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
  } catch {
    throw usage('Standard input is not UTF-8 text.')
  }
}

/** Writes every text that a command prints. A file or a pipe gets it byte by byte, a terminal nothing that steers it. */
export const writerTo =
  (stream: { write(text: string): unknown }, isTerminal: boolean) =>
  (text: string): void =>
    void stream.write(isTerminal ? forTerminal(text) : text)

/** The same terminal, on which nothing is said any more once the signal has aborted. */
export const silentAfter = (signal: AbortSignal, terminal: Terminal): Terminal => ({
  ...terminal,
  out: (text) => (signal.aborted ? undefined : terminal.out(text)),
  err: (text) => (signal.aborted ? undefined : terminal.err(text)),
})

const colorsFor = async (wanted: boolean): Promise<Colors> =>
  wanted ? (await import('picocolors')).default.createColors(true) : plain
