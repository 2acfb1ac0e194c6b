/** How the server reads quotes: from its `sql_mode`. */
export interface QuotingMode {
  /** `"x"` is a name. */
  readonly ansiQuotes: boolean
  /** A backslash is a character like any other. */
  readonly noBackslashEscapes: boolean
}

/**
 * `word`: a keyword or a name without quotes. `name`: a quoted name. `executable`: a comment that servers run. `hint`: an
 * optimizer hint. `variable`: `@x` or `@@x`. `unclear`: signs that servers leave out. Plain comments are left out.
 */
export type TokenKind =
  | 'word'
  | 'name'
  | 'string'
  | 'number'
  | 'symbol'
  | 'variable'
  | 'executable'
  | 'hint'
  | 'unclear'

export interface Token {
  readonly kind: TokenKind
  /** Without quotes; words as they are written. */
  readonly text: string
  /** Whether a space or a comment precedes it. */
  readonly isApart: boolean
}

/** A sign of the grammar, and no text or quoted name that looks like it. */
export const isSign = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'symbol' && token.text === text

export const isName = ({ kind }: Token): boolean => kind === 'word' || kind === 'name'

/** The word at a place in lower case; empty for anything else. */
export const wordAt = (tokens: readonly Token[], index: number): string => {
  const token = tokens[index]
  return token?.kind === 'word' ? token.text.toLowerCase() : ''
}

/** The same, but behind a dot every word is a name. */
export const keywordAt = (tokens: readonly Token[], index: number): string =>
  isSign(tokens[index - 1], '.') ? '' : wordAt(tokens, index)

/** Undefined when the text ends within a quote or a comment. */
export function tokenize(sql: string, mode: QuotingMode): readonly Token[] | undefined {
  const tokens: Token[] = []
  let at = 0
  let isApart = false
  while (at < sql.length) {
    const space = match(SPACE, sql, at) ?? lineComment(sql, at)
    if (space !== undefined) {
      at += space.length
      isApart = true
      continue
    }
    const comment = match(COMMENT, sql, at)
    if (comment !== undefined) {
      const kind = commentKind(comment)
      if (kind) tokens.push({ kind, text: comment.slice(3, -2), isApart })
      at += comment.length
      isApart = true
      continue
    }
    const last = isApart ? undefined : tokens.at(-1)
    const found = sql.startsWith('/*', at) ? undefined : (numberAt(sql, at, last) ?? tokenAt(sql, at, mode))
    if (!found) return undefined
    tokens.push({ kind: found.kind, text: found.text, isApart })
    at += found.length
    isApart = false
  }
  return tokens
}

interface Found {
  readonly kind: TokenKind
  readonly text: string
  readonly length: number
}

// ASCII alone, as the servers have it: to them a no-break space is a letter.
const SPACE = /[\t\n\v\f\r ]+/y
const COMMENT = /\/\*[^]*?\*\//y
const WORD = /[\w$\u{80}-\u{10FFFF}]+/uy
/** As the lexers of the servers read numbers (`lex_one_token` of sql_lex.cc): what follows may begin at once. */
const WHOLE = /(?:(?:0x[0-9a-fA-F]+|0b[01]+)(?![\w$\u{80}-\u{10FFFF}])|\d+(?![\w$.\u{80}-\u{10FFFF}]))/uy
const BEFORE_DOTS = /\d+(?=\.\.)/y
const FLOAT = /\d+e[+-]?\d+/iy
const REAL = /(?:\d+\.|\.(?=\d))\d*/y
const EXPONENT = /e[+-]?\d+/iy
const VARIABLE = /@@?[\w$.\u{80}-\u{10FFFF}]+/uy
const BACKQUOTED = /`((?:[^`]|``)*)`/y
const SYMBOL = /:=|->>|->|<=>|<<|>>|<>|<=|>=|!=|\|\||&&|[^\w\s]/y
const ESCAPED = { "'": /'((?:[^'\\]|\\[^]|'')*)'/y, '"': /"((?:[^"\\]|\\[^]|"")*)"/y } as const
const PLAIN = { "'": /'((?:[^']|'')*)'/y, '"': /"((?:[^"]|"")*)"/y } as const

/** `last` is the token that ends here: behind a word a dot is no part of a number, and behind that dot comes a name. */
function numberAt(sql: string, at: number, last: Token | undefined): Found | undefined {
  const isNameNext = last?.kind === 'symbol' && last.text === '.'
  const isDotOfName = last?.kind === 'word' && sql[at] === '.'
  if (isNameNext || isDotOfName) return undefined
  const plain = match(WHOLE, sql, at) ?? match(BEFORE_DOTS, sql, at) ?? match(FLOAT, sql, at)
  if (plain !== undefined) return { kind: 'number', text: plain, length: plain.length }
  const real = match(REAL, sql, at)
  if (real === undefined) return undefined
  const behind = at + real.length
  const exponent = match(EXPONENT, sql, behind) ?? ''
  // `1.e` is nothing to them.
  const kind = exponent === '' && /e/i.test(sql[behind] ?? '') ? 'unclear' : 'number'
  return { kind, text: real + exponent, length: real.length + exponent.length }
}

function tokenAt(sql: string, at: number, mode: QuotingMode): Found | undefined {
  const sign = sql[at]
  if (sign === "'" || sign === '"') return quotedAt(sql, at, sign, mode)
  if (sign === '`') return namedAt(sql, at)
  if (sign === '@') return variableAt(sql, at, mode)
  // NULL of MariaDB, behind which the next word may begin at once.
  if (sql.startsWith(String.raw`\N`, at)) return { kind: 'word', text: 'null', length: 2 }
  const word = match(WORD, sql, at)
  if (word !== undefined) return { kind: 'word', text: word, length: word.length }
  const symbol = match(SYMBOL, sql, at)
  return symbol === undefined ? undefined : { kind: 'symbol', text: symbol, length: symbol.length }
}

function quotedAt(sql: string, at: number, sign: "'" | '"', mode: QuotingMode): Found | undefined {
  const isName = sign === '"' && mode.ansiQuotes
  const pattern = (isName || mode.noBackslashEscapes ? PLAIN : ESCAPED)[sign]
  const all = match(pattern, sql, at)
  if (all === undefined) return undefined
  const text = all.slice(1, -1)
  return {
    kind: isName ? 'name' : 'string',
    text: isName ? text.replaceAll('""', '"') : text,
    length: all.length,
  }
}

function namedAt(sql: string, at: number): Found | undefined {
  const all = match(BACKQUOTED, sql, at)
  return all === undefined
    ? undefined
    : { kind: 'name', text: all.slice(1, -1).replaceAll('``', '`'), length: all.length }
}

function variableAt(sql: string, at: number, mode: QuotingMode): Found | undefined {
  const plain = match(VARIABLE, sql, at)
  if (plain !== undefined) return { kind: 'variable', text: plain, length: plain.length }
  const quoted = /['"`]/.test(sql[at + 1] ?? '') ? tokenAt(sql, at + 1, mode) : undefined
  if (quoted) return { kind: 'variable', text: `@${quoted.text}`, length: quoted.length + 1 }
  return { kind: 'symbol', text: '@', length: 1 }
}

/** `#` to the end of the line, and `--` when a blank or a control character follows it. */
function lineComment(sql: string, at: number): string | undefined {
  const after = sql.charCodeAt(at + 2)
  const isDashes = sql.startsWith('--', at) && (Number.isNaN(after) || after <= 32 || after === 127)
  return isDashes || sql[at] === '#' ? match(/[^\n]+/y, sql, at) : undefined
}

function commentKind(comment: string): TokenKind | undefined {
  if (/^\/\*M?!/i.test(comment)) return 'executable'
  return comment.startsWith('/*+') ? 'hint' : undefined
}

function match(pattern: RegExp, sql: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(sql)?.[0]
}
