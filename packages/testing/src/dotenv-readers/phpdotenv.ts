/**
 * An independent reader by the rules of phpdotenv 5 (its lines, entries and `${NAME}` references), for tests alone:
 * written from the behaviour its documentation and parser states describe, sharing nothing with our own parser.
 */
export function readAsPhpdotenv(text: string): Record<string, string> {
  const values: Record<string, string> = {}
  for (const entry of entriesOf(text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/))) {
    const equals = entry.indexOf('=')
    if (equals === -1) continue
    const name = phpTrim(entry.slice(0, equals)).replace(/^export\s+(?=\S{2})/, '')
    if (!/^[a-zA-Z0-9_.]+$/.test(name)) throw new Error('phpdotenv: an invalid name')
    values[name] = valueOf(phpTrim(entry.slice(equals + 1)), values)
  }
  return values
}

const phpTrim = (text: string): string => text.replace(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, '')

/** Joins the lines of an entry by counting double quotes, before anything knows about quoting. */
function entriesOf(lines: readonly string[]): string[] {
  const entries: string[] = []
  let open: string[] | undefined
  for (const line of lines) {
    const starts = !open && line.includes('="') && !stops(line, true)
    if (starts) open = []
    if (!open) {
      if (phpTrim(line) !== '' && !phpTrim(line).startsWith('#')) entries.push(line)
      continue
    }
    open.push(line)
    if (stops(line, starts)) {
      entries.push(open.join('\n'))
      open = undefined
    }
  }
  return entries
}

const stops = (line: string, started: boolean): boolean => {
  if (line === '"') return true
  const count = [...line.replaceAll('\\\\', '').matchAll(/(?=[^\\]")/g)].length
  return started ? count > 1 : count >= 1
}

interface State {
  readonly name: 'initial' | 'unquoted' | 'single' | 'double' | 'escape' | 'blank' | 'comment'
  readonly out: string
  /** Places of dollar signs that may begin a reference. */
  readonly dollars: readonly number[]
}

function valueOf(text: string, known: Readonly<Record<string, string>>): string {
  let state: State = { name: 'initial', out: '', dollars: [] }
  for (const token of text.match(/[\r\n]+|[^\S\r\n]+|\\|'|"|#|\$|[^\s\\'"#$]+/g) ?? [])
    state = next(state, token)
  if (['single', 'double', 'escape'].includes(state.name))
    throw new Error('phpdotenv: a missing closing quote')
  return [...state.dollars].toReversed().reduce((value, at) => {
    const resolved = value
      .slice(at)
      .replace(/^\$\{([a-zA-Z0-9_.]+)\}/, (reference, name: string) => known[name] ?? reference)
    return value.slice(0, at) + resolved
  }, state.out)
}

function next(state: State, token: string): State {
  const to = (name: State['name'], text = '', dollar = false): State => ({
    name,
    out: state.out + text,
    dollars: dollar ? [...state.dollars, state.out.length] : state.dollars,
  })
  switch (state.name) {
    case 'initial':
      if (token === "'") return to('single')
      if (token === '"') return to('double')
      if (token === '#') return to('comment')
      return to('unquoted', token, token === '$')
    case 'unquoted':
      if (token === '#') return to('comment')
      if (/^\s/.test(token)) return to('blank')
      return to('unquoted', token, token === '$')
    case 'single':
      return token === "'" ? to('blank') : to('single', token)
    case 'double':
      if (token === '"') return to('blank')
      if (token === '\\') return to('escape')
      return to('double', token, token === '$')
    case 'escape':
      return to('double', unescape(token))
    case 'blank':
      if (token === '#') return to('comment')
      if (!/^\s/.test(token)) throw new Error('phpdotenv: unexpected whitespace')
      return state
    case 'comment':
      return state
  }
}

const unescape = (token: string): string => {
  if (['"', '\\', '$'].includes(token)) return token
  const escapes: Readonly<Record<string, string>> = { f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }
  const character = escapes[token.charAt(0)]
  if (character === undefined) throw new Error('phpdotenv: an unexpected escape sequence')
  return character + token.slice(1)
}
