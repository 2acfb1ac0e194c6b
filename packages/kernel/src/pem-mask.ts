import { REDACTED } from './redaction.ts'

/** Lines of one block, with those of its marks (LOGS-023): anything longer is not a key, or its end is lost. */
export const PEM_MAX_LINES = 200
const BEGIN = /-----BEGIN [A-Z0-9 ]+-----/
const END = /-----END [A-Z0-9 ]+-----/

/** Masks PEM blocks in lines that are handed to it in order, one mask for each text: as many lines come out (LOGS-023). */
export class PemMask {
  /** Lines that the open block may still have; 0 outside of one. */
  #left = 0

  /** Told the first lines of a text that may begin inside a block. */
  expect(lines: readonly string[]): void {
    if (linesOfBlockAbove(lines) > 0) this.#left = PEM_MAX_LINES
  }

  mask(line: string): string {
    let shown = ''
    let rest = line
    for (;;) {
      if (this.#left > 0) {
        shown += REDACTED
        const end = END.exec(rest)
        // A block that begins inside another is whole itself.
        if (!end) this.#left = BEGIN.test(rest) ? PEM_MAX_LINES - 1 : this.#left - 1
        if (!end) return shown
        this.#left = 0
        rest = rest.slice(end.index + end[0].length)
      }
      const begin = BEGIN.exec(rest)
      if (!begin) return shown + rest
      shown += rest.slice(0, begin.index)
      rest = rest.slice(begin.index)
      this.#left = PEM_MAX_LINES
    }
  }
}

/** How many of the first lines are of a block that began above them: its end comes before any beginning. */
export function linesOfBlockAbove(lines: readonly string[]): number {
  for (const [index, line] of lines.slice(0, PEM_MAX_LINES).entries()) {
    const [begin, end] = [line.search(BEGIN), line.search(END)]
    if (end !== -1 && (begin === -1 || end < begin)) return index + 1
    if (begin !== -1) return 0
  }
  return 0
}
