import { createScanner } from 'jsonc-parser'

/** Levels of a body; code that walks a value calls itself once for each. */
const MAX_DEPTH = 64

/** An object has the names it has shown, an array the index it is at. */
type Level = { readonly names: Set<string>; key: string } | { readonly names?: undefined; key: number }

export interface Members {
  /** Paths of members that one object holds twice. JSON.parse silently keeps the last one. */
  readonly duplicates: readonly string[]
  readonly tooDeep: boolean
}

/** Walks a text that is known to be JSON, token by token, so that no nesting can exhaust the stack. */
export function inspectMembers(text: string): Members {
  const scanner = createScanner(text, true)
  const duplicates = new Set<string>()
  const levels: Level[] = []
  let nameNext = false
  // Insignificant white space is skipped by the scanner, so a token is known by its first character.
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const level = levels.at(-1)
    const first = text[scanner.getTokenOffset()]
    if (first === '{' || first === '[') {
      if (levels.length === MAX_DEPTH) return { duplicates: [], tooDeep: true }
      nameNext = first === '{'
      levels.push(nameNext ? { names: new Set(), key: '' } : { key: 0 })
    } else if (first === '}' || first === ']') {
      levels.pop()
      nameNext = false
    } else if (first === ',') {
      nameNext = level?.names !== undefined
      if (level && !level.names) level.key += 1
    } else if (nameNext && level?.names) {
      nameNext = false
      level.key = scanner.getTokenValue()
      if (level.names.has(level.key)) duplicates.add(levels.map(({ key }) => key).join('.'))
      level.names.add(level.key)
    }
  }
  return { duplicates: [...duplicates], tooDeep: false }
}
