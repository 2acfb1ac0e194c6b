import type { PemMask } from '@fleet/kernel'
import { cutLine } from './cut-line.ts'
import type { Line } from './lines.ts'
import { FIRST_MAX_BYTES } from './source.ts'

/** The last lines as they may be shown: masked from above them on, at most `count`, at most 256 KiB (LOGS-015). */
export function maskFirst(lines: readonly Line[], count: number, mask: PemMask): readonly string[] {
  mask.expect(lines.map(({ text }) => text))
  const shown = lines.map(({ text, skipped }) => cutLine(mask.mask(text), skipped > 0)).slice(-count)
  let bytes = 0
  let from = shown.length
  while (from > 0) {
    bytes += Buffer.byteLength(shown[from - 1] ?? '')
    if (bytes > FIRST_MAX_BYTES) break
    from -= 1
  }
  return shown.slice(from)
}
