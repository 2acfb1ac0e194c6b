import type { PemMask } from '@fleet/kernel'
import { cutLine } from './cut-line.ts'
import { type Channel, type ChannelLine, FIRST_MAX_BYTES } from './source.ts'

/** The last lines as they may be shown: masked from above them on, at most `count`, at most 256 KiB (LOGS-015). */
export function maskFirst(
  lines: readonly ChannelLine[],
  count: number,
  masks: Readonly<Record<Channel, PemMask>>,
): readonly string[] {
  const byChannel = Map.groupBy(lines, ({ channel = 'out' }) => channel)
  for (const [channel, own] of byChannel) masks[channel].expect(own.map(({ text }) => text))
  const shown = lines
    .map(({ text, skipped, channel = 'out' }) => cutLine(masks[channel].mask(text), skipped > 0))
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
