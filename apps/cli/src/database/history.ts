import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const MAX_LINES = 500

/** Typed lines, the last one first; none where there is no file that can be read. */
export async function readHistory(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(-MAX_LINES)
    .toReversed()
}

/** Keeps the lines for the next time, for their owner alone. A folder that cannot be written is no failure of a shell. */
export async function writeHistory(path: string, lines: readonly string[]): Promise<void> {
  const text = lines
    .slice(0, MAX_LINES)
    .toReversed()
    .map((line) => `${line}\n`)
    .join('')
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, text, { mode: 0o600 })
  } catch {
    // Nothing depends on it.
  }
}
