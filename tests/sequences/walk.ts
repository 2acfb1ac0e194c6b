import { createHash } from 'node:crypto'
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs'

/** What a folder holds: each name below it, with its kind, mode, and size and digest of its bytes or what the link says. */
export type Walked = ReadonlyMap<string, string>

const SLASH = Buffer.from('/')
const PIECE = Buffer.alloc(1024 * 1024)

/** Names are bytes: those that are no text, and those with a line break, are one Latin-1 character for each byte. */
export function walk(folder: string): Walked {
  const found = new Map<string, string>()
  const files = new Map<number, string>()
  const below = (path: Buffer, shown: string): void => {
    for (const name of readdirSync(path, { encoding: 'buffer' }).toSorted(Buffer.compare)) {
      const at = Buffer.concat([path, SLASH, name])
      const of = shown + name.toString('latin1')
      const stat = lstatSync(at)
      const mode = stat.mode.toString(8)
      if (stat.isDirectory()) {
        found.set(`${of}/`, mode)
        below(at, `${of}/`)
      } else if (stat.isSymbolicLink()) found.set(of, `-> ${readlinkSync(at, 'latin1')}`)
      else {
        // The same file under another name, or one of its own.
        const first = stat.nlink > 1 ? files.get(stat.ino) : undefined
        files.set(stat.ino, of)
        const same = first === undefined ? '' : ` is ${first}`
        found.set(of, `${mode} ${stat.size} ${stat.isFile() ? digestOf(at) : 'special'}${same}`)
      }
    }
  }
  below(Buffer.from(folder), '')
  return found
}

function digestOf(path: Buffer): string {
  const hash = createHash('sha256')
  const file = openSync(path, 'r')
  try {
    for (let count = -1; count !== 0;) {
      count = readSync(file, PIECE)
      hash.update(PIECE.subarray(0, count))
    }
  } finally {
    closeSync(file)
  }
  return hash.digest('base64')
}

/** Names that one has and the other has not, or has otherwise, sorted; without those that the pattern fits. */
export const differences = (before: Walked, after: Walked, except?: RegExp): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name) && !except?.test(name))
    .toSorted()
    .map((name) => `${name}: ${before.get(name) ?? 'absent'}, then ${after.get(name) ?? 'absent'}`)
