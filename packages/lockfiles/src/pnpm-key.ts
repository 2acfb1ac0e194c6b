import type { Origin } from './failure.ts'
import { splitName } from './package-name.ts'

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

/** Where the balanced groups in parentheses at the end begin; an address before them may hold parentheses itself. */
function startOfSuffix(key: string): number {
  let start = key.length
  while (key[start - 1] === ')') {
    let [level, at] = [0, start - 1]
    for (; at >= 0; at -= 1) {
      if (key[at] === ')') level += 1
      else if (key[at] === '(' && (level -= 1) === 0) break
    }
    if (at <= 0) break
    start = at
  }
  return start
}

/** The snapshot that a reference of a dependency leads to: `version`, or a whole key where the name differs. */
export function referenceKey(name: string, reference: string): string {
  const at = reference.indexOf('@')
  if (at === 0) return reference
  return at > 0 && !/[:(]/.test(reference.slice(0, at)) ? reference : `${name}@${reference}`
}

/** Whether a key or version names a place to fetch from; of what pnpm writes, else only runtimes have a colon. */
export const isAddress = (text: string): boolean =>
  text.includes(':') && text.replaceAll(/(?:^|@)runtime:/g, '').includes(':')
