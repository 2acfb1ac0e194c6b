/** What turns the lines on a terminal into others, rewriting only those that differ, at one stroke where the terminal can. */
export function frame(before: readonly string[], after: readonly string[]): string {
  const count = Math.max(before.length, after.length)
  const changed = Array.from({ length: count }, (_, index) =>
    before[index] === after[index] ? '' : `${at(index + 1)}${after[index] ?? ''}${CLEAR_TO_END}`,
  ).join('')
  return changed === '' ? '' : `${BEGIN}${changed}${END}`
}

/** Switches to the alternate screen; `LEAVE` restores the previous lines. */
export const ENTER = '\u001B[?1049h\u001B[?25l\u001B[2J'
export const LEAVE = '\u001B[?25h\u001B[?1049l'
export const CLEAR = '\u001B[2J'

const CLEAR_TO_END = '\u001B[K'
/** Terminals that know it show everything between the two at once; others ignore it. */
const BEGIN = '\u001B[?2026h'
const END = '\u001B[?2026l'
const at = (row: number): string => `\u001B[${row};1H`
