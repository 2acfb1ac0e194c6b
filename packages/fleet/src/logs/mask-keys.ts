import { PEM_MAX_LINES, PemMask } from '@fleet/kernel'

/** Lines to read for so many to show: a key may begin above the first of them (LOGS-023). */
export const withLinesAbove = (shown: number): number => shown + PEM_MAX_LINES

/** The last lines of what `withLinesAbove` says, without keys, also where one begins above all that was read. */
export function maskTail(lines: readonly string[], shown: number): readonly string[] {
  const mask = new PemMask()
  mask.expect(lines)
  return lines.map((line) => mask.mask(line)).slice(-shown)
}

/** A text that is known from its beginning, without keys. */
export function maskKeys(text: string): readonly string[] {
  const mask = new PemMask()
  return text.split('\n').map((line) => mask.mask(line))
}
