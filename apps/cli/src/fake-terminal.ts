import type { Prompt, PromptOptions, Typed } from './line-prompt.ts'
import { plain, type Terminal } from './terminal.ts'

export interface FakeTerminalOptions {
  readonly isTerminal?: boolean
  readonly columns?: number
  readonly isDumb?: boolean
  /** Lines typed in turn. */
  readonly typed?: readonly string[]
  /** The content of standard input. */
  readonly input?: string
}

/** A terminal for tests: keeps what was written, types what it was given. */
export class FakeTerminal implements Terminal {
  outText = ''
  errText = ''
  readonly questions: string[] = []
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  readonly inIsTerminal: boolean
  readonly isDumb: boolean
  readonly columns: number
  readonly errColumns: number
  readonly outColors = plain
  readonly errColors = plain
  readonly #typed: string[]
  readonly #input: string

  constructor({
    isTerminal = false,
    isDumb = false,
    columns = 100,
    typed = [],
    input = '',
  }: FakeTerminalOptions = {}) {
    this.outIsTerminal = isTerminal
    this.errIsTerminal = isTerminal
    this.inIsTerminal = isTerminal
    this.isDumb = isDumb
    this.columns = columns
    this.errColumns = isTerminal ? columns : Number.POSITIVE_INFINITY
    this.#typed = [...typed]
    this.#input = input
  }
  out(text: string): void {
    this.outText += text
  }
  outAtEnd(text: string): void {
    this.outText += text
  }
  err(text: string): void {
    this.errText += text
  }
  ask(question: string): Promise<string | undefined> {
    this.questions.push(question)
    return Promise.resolve(this.#typed.shift())
  }
  askSecret(question: string): Promise<string | undefined> {
    return this.ask(`secret ${question}`)
  }
  /** What the last prompt was made with. */
  prompted: PromptOptions | undefined
  prompt(options: PromptOptions): Promise<Prompt> {
    this.prompted = options
    const typed: string[] = []
    const next = async (question: string): Promise<Typed> => {
      const text = await this.ask(question)
      if (text === undefined) return { kind: 'end' }
      if (text === '^C') return { kind: 'interrupted' }
      typed.unshift(text)
      return { kind: 'line', text }
    }
    return Promise.resolve({
      next,
      history: () => [...typed, ...options.history],
      [Symbol.dispose]: () => undefined,
    })
  }
  readInput(): Promise<string> {
    return Promise.resolve(this.#input)
  }
}
