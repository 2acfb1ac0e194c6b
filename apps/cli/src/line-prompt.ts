import { createInterface } from 'node:readline'
import { forTerminal } from './print/text.ts'
import type { Prompt, PromptOptions, Typed } from './terminal.ts'

/** Lines of standard input. On a terminal they are edited, completed and remembered, with the questions on standard error. */
export function linePrompt({ history, complete, onInterrupt }: PromptOptions, isTerminal: boolean): Prompt {
  const lines = createInterface({
    input: process.stdin,
    ...(isTerminal ? { output: process.stderr } : {}),
    terminal: isTerminal,
    history: [...history],
    historySize: 500,
    removeHistoryDuplicates: true,
    completer: (line: string, done: (error: null, result: [string[], string]) => void) =>
      void complete(line).then(([candidates, word]) => done(null, [[...candidates], word])),
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
