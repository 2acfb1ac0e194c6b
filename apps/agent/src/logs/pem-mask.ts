export const MASKED = '[REDACTED]'

/** Lines after which a block that never ends is taken for one that did (LOGS-023). */
const BLOCK_LINES = 200
const WHOLE = /-----BEGIN [A-Z0-9 ]{1,60}-----.*?-----END [A-Z0-9 ]{1,60}-----/gs
const BEGIN = /-----BEGIN [A-Z0-9 ]{1,60}-----.*$/s
const END = /^.*?-----END [A-Z0-9 ]{1,60}-----/s

/** Masks PEM blocks in lines that are handed to it in order, one mask per source (LOGS-023). */
export class PemMask {
  /** Lines of the open block so far; 0 outside of one. */
  #lines = 0

  mask(line: string): string {
    if (this.#lines === 0) return this.#outside(line)
    this.#lines += 1
    if (END.test(line)) {
      this.#lines = 0
      return this.#outside(line.replace(END, MASKED))
    }
    if (this.#lines >= BLOCK_LINES) this.#lines = 0
    return MASKED
  }

  #outside(line: string): string {
    if (!line.includes('-----BEGIN ')) return line
    const masked = line.replace(WHOLE, MASKED)
    if (!BEGIN.test(masked)) return masked
    this.#lines = 1
    return masked.replace(BEGIN, MASKED)
  }
}
