import type { Origin } from './failure.ts'
import { type NameAndRest, splitName } from './package-name.ts'

/** A key of `snapshots`: `name@version(peer@version)…`. */
export interface Key {
  readonly name: string
  /** A version, or an address. */
  readonly version: string
  /** The key of `packages`, which does not distinguish peers. */
  readonly base: string
}

export function keyOf(key: string, origin: Origin): Key {
  const base = key.slice(0, startOfSuffix(key))
  const { name, rest } = splitName(base, origin)
  return { name, version: rest, base }
}

const OPEN = 40
const CLOSE = 41

/** Where the balanced groups in parentheses at the end begin; an address before them may hold parentheses itself. */
function startOfSuffix(key: string): number {
  let start = key.length
  while (key.charCodeAt(start - 1) === CLOSE) {
    let [level, at] = [0, start - 1]
    for (; at >= 0; at -= 1) {
      const unit = key.charCodeAt(at)
      if (unit === CLOSE) level += 1
      else if (unit === OPEN && (level -= 1) === 0) break
    }
    if (at <= 0) break
    start = at
  }
  return start
}

/** The whole key that a reference is where the name of the dependency is an alias; else a reference is what follows the name. */
export function aliasedKey(reference: string): NameAndRest | undefined {
  const at = reference.indexOf('@', 1)
  if (at < 0 || (!reference.startsWith('@') && /[:(]/.test(reference.slice(0, at)))) return undefined
  return { name: reference.slice(0, at), rest: reference.slice(at + 1) }
}

/** Whether a key or version names a place to fetch from; of what pnpm writes, else only runtimes have a colon. */
export const isAddress = (text: string): boolean =>
  text.includes(':') && text.replaceAll(/(?:^|@)runtime:/g, '').includes(':')
