type Wrong = Record<string, readonly string[]>

/**
 * Problems with texts and numbers that no database would give back as they came, by the path of the member: PostgreSQL
 * refuses a NUL, SQLite changes a lone surrogate, a member called `__proto__` is dropped by whoever assigns it, and a number
 * that was parsed as infinite is written as null. The value's depth is bounded before.
 */
export function unstorable(value: unknown): Readonly<Wrong> {
  const wrong: Wrong = {}
  walk(value, '', wrong)
  return wrong
}

function walk(value: unknown, path: string, wrong: Wrong): void {
  if (typeof value === 'string') note(wrongText(value), path, wrong)
  if (typeof value === 'number' && !Number.isFinite(value)) note('must not exceed 1.797e308', path, wrong)
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    const wrongName = name === '__proto__' ? 'must not contain a member __proto__' : wrongText(name)
    // The name itself could not be answered, so the object that holds it is named.
    if (wrongName === undefined) walk(inner, path === '' ? name : `${path}.${name}`, wrong)
    else note(wrongName, path, wrong)
  }
}

function note(text: string | undefined, path: string, wrong: Wrong): void {
  if (text !== undefined) wrong[path === '' ? 'body' : path] = [text]
}

function wrongText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL'
  return text.isWellFormed() ? undefined : 'must not contain an unpaired surrogate'
}
