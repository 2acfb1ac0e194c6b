import { ownSeconds } from './cpu.ts'

/** Processor seconds of this process and what it waited for, by file: a test that another file registers counts for its own. */
class Spent {
  readonly files = new Map<string, number>()
  #open = 0
  #before = 0

  begin(file: string): void {
    this.#add(file)
    this.#open += 1
  }

  end(file: string): void {
    this.#add(file)
    this.#open -= 1
  }

  /** Between the tests files are loaded, which belongs to nobody. */
  #add(file: string): void {
    const now = ownSeconds()
    if (this.#open > 0) this.files.set(file, (this.files.get(file) ?? 0) + now - this.#before)
    this.#before = now
  }
}

export const spent = new Spent()
