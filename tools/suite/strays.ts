import { inspect } from 'node:util'

/** An error that nobody caught. */
export interface Stray {
  /** The test that had begun last: most often it is the one whose work failed. */
  readonly test: string | undefined
  readonly error: string
}

/** Errors of a test process that nobody caught. The runner tells of each, but neither whose it is nor where it was thrown. */
class Strays {
  readonly #found: Stray[] = []
  #test: string | undefined

  begin(test: string): void {
    this.#test = test
  }

  add(error: unknown): void {
    this.#found.push({ test: this.#test, error: inspect(error, { depth: 6 }) })
  }

  /** The oldest one that was not yet taken: the runner tells of them in their order. */
  take(): Stray | undefined {
    return this.#found.shift()
  }
}

export const strays = new Strays()
