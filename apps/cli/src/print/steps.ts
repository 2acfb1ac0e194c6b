import type { WatchedStep } from '@fleet/sdk/core'
import type { Terminal } from '#/terminal.ts'
import { oneLine } from './text.ts'

/** Longest usual name of a step, so that the times are aligned. */
const NAME_COLUMNS = 26
const TIME_COLUMNS = 7

/** The steps of watched work on standard error, each as it ends; between them `label` names the one that runs. */
export class StepLines {
  readonly #command: string
  readonly #terminal: Terminal
  #running: string | undefined
  #ended = 0
  /** Clears the current line of the terminal; set by whoever wrote it. */
  hide: () => void = () => undefined

  constructor(command: string, terminal: Terminal) {
    this.#command = command
    this.#terminal = terminal
  }

  readonly label = (): string =>
    this.#running === undefined ? this.#command : `${this.#command}: ${this.#running}`

  report({ step, status, milliseconds }: WatchedStep): void {
    const name = oneLine(step)
    if (status === 'started') {
      this.#running = name
      return
    }
    this.#running = undefined
    this.#ended += 1
    this.hide()
    this.#terminal.err(
      this.#terminal.errIsTerminal
        ? `${this.#marked(name, status, milliseconds)}\n`
        : `${name}: ${status}${milliseconds === undefined ? '' : ` after ${seconds(milliseconds)}`}\n`,
    )
  }

  /** Printed when all steps have succeeded; nothing if no step was reported. */
  finish(milliseconds: number): void {
    if (this.#ended === 0) return
    const steps = this.#ended === 1 ? '1 step' : `${this.#ended} steps`
    this.#terminal.err(this.#terminal.errColors.dim(`${steps} in ${seconds(milliseconds)}\n`))
  }

  #marked(
    name: string,
    status: Exclude<WatchedStep['status'], 'started'>,
    milliseconds: number | undefined,
  ): string {
    const { red, dim } = this.#terminal.errColors
    const time = milliseconds === undefined ? '' : seconds(milliseconds).padStart(TIME_COLUMNS)
    const line =
      `${MARKS[status]} ${name.padEnd(NAME_COLUMNS)} ${status === 'skipped' ? 'skipped' : time}`.trimEnd()
    return status === 'failed' ? red(line) : status === 'skipped' ? dim(line) : line
  }
}

const MARKS = { done: '✓', failed: '✗', skipped: '–' } as const

/** One decimal distinguishes quick steps. */
const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`
