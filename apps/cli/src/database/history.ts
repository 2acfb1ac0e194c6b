import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const MAX_LINES = 500

/** Statements that `mysql` keeps out of its history too: passwords are written in them. */
const SECRET = /identified|password/i

/** Which typed lines belong to a statement that is not kept, also where the password is on another line than its word. */
export class SecretLines {
  readonly #secret = new Set<string>()
  #statement: readonly string[] = []

  /** Takes a line of the statement that is typed. */
  add(line: string): void {
    this.#statement = [...this.#statement, line]
    if (SECRET.test(this.#statement.join('\n'))) for (const one of this.#statement) this.#secret.add(one)
  }

  /** The next line begins another statement. */
  end(): void {
    this.#statement = []
  }

  has(line: string): boolean {
    return this.#secret.has(line) || SECRET.test(line)
  }
}

/** Typed lines, the last one first; none where there is no file that can be read. */
export async function readHistory(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(-MAX_LINES)
    .toReversed()
}

/** Keeps the lines that are no secret for the next time, for their owner alone. A folder that cannot be written is no failure of a shell. */
export async function writeHistory(
  path: string,
  lines: readonly string[],
  secret: SecretLines,
): Promise<void> {
  const text = lines
    .filter((line) => !secret.has(line))
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
