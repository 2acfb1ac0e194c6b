import { createInterface } from 'node:readline'
import { forTerminal } from './print/text.ts'

export interface PromptOptions {
  /** Lines typed before, the last one first. */
  readonly history: readonly string[]
  /** What fits in the place of the last word of a line, and that word. */
  readonly complete: (line: string) => Promise<readonly [candidates: readonly string[], word: string]>
  /** Ctrl-C while no question is open. */
  readonly onInterrupt: () => void
}

/** What came of a question: a line, Ctrl-C, or the end of input. */
export type Typed =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'end' }

/** Asks for lines until it is disposed of. */
export interface Prompt extends Disposable {
  readonly next: (question: string) => Promise<Typed>
  /** Everything typed, the last line first. */
  readonly history: () => readonly string[]
}

/** Lines of standard input. On a terminal they are edited, completed and remembered, with the questions on standard error. */
export function linePrompt({ history, complete, onInterrupt }: PromptOptions, isTerminal: boolean): Prompt {
  const lines = createInterface({
    input: process.stdin,
    ...(isTerminal ? { output: process.stderr } : {}),
    terminal: isTerminal,
    history: [...history],
    historySize: 500,
    removeHistoryDuplicates: true,
    completer: (line: string, done: Offered) => void offer(complete, line, done),
  })
  const waiting: string[] = []
  let typed: readonly string[] = history
  let taker: ((typed: Typed) => void) | undefined
  let isOver = false
  const give = (given: Typed): boolean => {
    const take = taker
    taker = undefined
    take?.(given)
    return take !== undefined
  }
  lines.on('line', (text) => {
    if (!give({ kind: 'line', text })) waiting.push(text)
  })
  lines.on('history', (now: string[]) => void (typed = [...now]))
  lines.on('close', () => {
    isOver = true
    give({ kind: 'end' })
  })
  // In raw mode Ctrl-C arrives as a key: it drops the line, as shells do, or what the last line started.
  lines.on('SIGINT', () => {
    lines.write(null, { ctrl: true, name: 'u' })
    process.stderr.write('^C\n')
    if (!give({ kind: 'interrupted' })) onInterrupt()
  })
  return {
    next: async (question) => {
      const ready = waiting.shift()
      if (ready !== undefined) return { kind: 'line', text: ready }
      if (isOver) return { kind: 'end' }
      if (isTerminal) {
        lines.setPrompt(forTerminal(question))
        lines.prompt()
      }
      return new Promise((resolve) => void (taker = resolve))
    },
    history: () => typed,
    [Symbol.dispose]: () => lines.close(),
  }
}

type Offered = (error: null, result: [candidates: string[], word: string]) => void

async function offer(complete: PromptOptions['complete'], line: string, done: Offered): Promise<void> {
  const [candidates, word] = await complete(line)
  done(null, [[...candidates], word])
}
