import { fields, MalformedOutput, textField } from './fields.ts'

/** What a script answered: each field once, read by name into exact types. Every reader throws MalformedOutput. */
export class Answer {
  readonly #fields: ReadonlyMap<string, Buffer>

  /** A script that ran to its end answers at least one field. */
  constructor(stdout: Buffer) {
    this.#fields = fields(stdout)
    if (this.#fields.size === 0) throw new MalformedOutput('there is no answer')
  }

  has(name: string): boolean {
    return this.#fields.has(name)
  }

  /** In the order in which they came. */
  names(): readonly string[] {
    return [...this.#fields.keys()]
  }

  /** Undefined when the field is missing. */
  get(name: string): Buffer | undefined {
    return this.#fields.get(name)
  }

  bytes(name: string): Buffer {
    const value = this.#fields.get(name)
    if (!value) throw new MalformedOutput(`the field ${name} is missing`)
    return value
  }

  text(name: string): string {
    return textField(this.#fields, name)
  }

  /** One of the words that are agreed. */
  word<W extends string>(name: string, words: readonly W[]): W {
    const text = this.text(name)
    const word = words.find((known) => known === text)
    if (word === undefined) throw new MalformedOutput(`the field ${name} has no word that is known`)
    return word
  }

  /** `yes` or `no`. */
  flag(name: string): boolean {
    return this.word(name, ['yes', 'no']) === 'yes'
  }
}
