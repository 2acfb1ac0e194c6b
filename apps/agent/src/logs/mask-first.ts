import { cutLine } from './cut-line.ts'
import type { Line } from './lines.ts'
import { MASKED, type PemMask } from './pem-mask.ts'
import { FIRST_MAX_BYTES, LINES_ABOVE } from './source.ts'

const END = /-----END [A-Z0-9 ]{1,60}-----/

/** The last lines as they may be shown: masked from above them on, at most `count`, at most 256 KiB (LOGS-015). */
export function maskFirst(lines: readonly Line[], count: number, mask: PemMask): readonly string[] {
  const texts = lines.map(({ text }) => text)
  const orphan = orphanEnd(texts)
  const shown = lines
    .map(({ text, skipped }, index) => (index <= orphan ? MASKED : cutLine(mask.mask(text), skipped > 0)))
    .slice(-count)
  let bytes = 0
  let from = shown.length
  while (from > 0) {
    bytes += Buffer.byteLength(shown[from - 1] ?? '')
    if (bytes > FIRST_MAX_BYTES) break
    from -= 1
  }
  return shown.slice(from)
}

/** Index of the end of a block that began above everything that was read; -1 where there is none. */
function orphanEnd(texts: readonly string[]): number {
  for (const [index, text] of texts.slice(0, LINES_ABOVE).entries()) {
    const end = text.search(END)
    const begin = text.indexOf('-----BEGIN ')
    if (end !== -1 && (begin === -1 || end < begin)) return index
    if (begin !== -1) return -1
  }
  return -1
}
