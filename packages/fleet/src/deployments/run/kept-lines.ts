import { type DeploymentLine, OUTPUT_KEPT_MAX_BYTES, OUTPUT_KEPT_MAX_PIECES } from '@fleet/contract'

/** The lines of a run that its row keeps: all but the oldest output, where there is too much of it (DEPL-032). */
export class KeptLines {
  readonly #lines: DeploymentLine[] = []
  #pieces = 0
  #bytes = 0

  get lines(): DeploymentLine[] {
    return [...this.#lines]
  }

  /** Sums nothing anew: a step may print a million lines. */
  add(line: DeploymentLine): void {
    this.#lines.push(line)
    if (line.type !== 'output') return
    this.#pieces += 1
    this.#bytes += bytesOf(line)
    while (this.#isTooMuch) this.#dropOldest()
  }

  /** Takes the oldest line away. */
  shift(): DeploymentLine | undefined {
    const line = this.#lines.shift()
    if (line?.type === 'output') {
      this.#pieces -= 1
      this.#bytes -= bytesOf(line)
    }
    return line
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0
  }

  get #isTooMuch(): boolean {
    return this.#bytes > OUTPUT_KEPT_MAX_BYTES || this.#pieces > OUTPUT_KEPT_MAX_PIECES
  }

  /** The oldest output, up to the next line that is none. */
  #dropOldest(): void {
    const first = this.#lines.findIndex(({ type }) => type === 'output')
    let end = first
    for (let line = this.#lines[end]; line?.type === 'output' && this.#isTooMuch; line = this.#lines[end]) {
      this.#pieces -= 1
      this.#bytes -= bytesOf(line)
      end += 1
    }
    this.#lines.splice(first, end - first)
  }
}

const bytesOf = (line: Extract<DeploymentLine, { type: 'output' }>): number =>
  Buffer.byteLength(line.data_base64, 'base64')
