import type { Clock } from '@fleet/kernel'

/** Says each step of a console command with the time it took. */
export class Report {
  readonly #clock: Clock
  readonly #out: (text: string) => void

  constructor(clock: Clock, out: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.#clock = clock
    this.#out = out
  }

  line(text: string): void {
    this.#out(`${text}\n`)
  }

  /** One line when the step has ended; the text that it returns is printed beside its name. */
  async step<T>(name: string, work: () => Promise<T> | T): Promise<T> {
    const start = this.#clock.ticks()
    try {
      const result = await work()
      this.#say('ok', name, start, typeof result === 'string' ? result : '')
      return result
    } catch (error) {
      this.#say('FAILED', name, start, '')
      throw error
    }
  }

  /** A part of a step, such as one of the provisioning of a Node. */
  part(name: string, status: string, start: number): void {
    this.#say(`  ${status}`, name, start, '')
  }

  ticks(): number {
    return this.#clock.ticks()
  }

  #say(mark: string, name: string, start: number, note: string): void {
    const seconds = ((this.#clock.ticks() - start) / 1000).toFixed(1)
    this.#out(`${mark.padEnd(8)} ${name.padEnd(26)} ${seconds.padStart(6)} s  ${note}`.trimEnd() + '\n')
  }
}
