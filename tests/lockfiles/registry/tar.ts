import { gzipSync } from 'node:zlib'

/** A gzipped tar archive of text files, the same bytes each time. */
export function archive(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text)
    return [header(path, content.length), content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(512)
  const put = (text: string, at: number): void => void block.write(text, at, 'latin1')
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  put(path, 0)
  put(octal(0o644, 7), 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(size, 11), 124)
  put(octal(499_162_500, 11), 136)
  put(' '.repeat(8), 148)
  put('0', 156)
  put('ustar\x0000', 257)
  put(
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  return block
}
