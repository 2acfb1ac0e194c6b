import { isUtf8 } from 'node:buffer'
import { makeMask, type Mask, maskShapes } from '#/logs/api.ts'

/**
 * Takes stored values out of output, then what has the shape of a credential (decision 0284). Output is read as one character for
 * each byte: so are the values, besides as they are.
 */
export function maskOfOutput(values: ReadonlyMap<string, string>): Mask {
  const asText = makeMask(values)
  const inBytes = (value: string): string => Buffer.from(value).toString('latin1')
  const asBytes = makeMask(new Map([...values].map(([key, value]) => [key, inBytes(value)])))
  return (lines) => maskShapesOfBytes(asBytes(asText(lines)))
}

/** Output that is text is read as text: a byte of a letter may look like the blank that ends a credential. */
function maskShapesOfBytes(lines: readonly string[]): readonly string[] {
  const bytes = Buffer.from(lines.join('\n'), 'latin1')
  if (!isUtf8(bytes)) return maskShapes(lines)
  const masked = maskShapes(bytes.toString().split('\n')).join('\n')
  return Buffer.from(masked).toString('latin1').split('\n')
}
