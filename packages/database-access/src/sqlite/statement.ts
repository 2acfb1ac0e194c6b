import { multipleStatements } from '#/statement.ts'

const PIECES =
  /--[^\n]*|\/\*[^]*?(?:\*\/|$)|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?|;|[^-/'"`[;]+|[-/]/g
const IS_COMMENT = /^(?:--|\/\*)/

/** Throws unless the text is one statement: the library itself runs the first and drops the rest in silence. */
export function requireOneSqliteStatement(sql: string): void {
  const pieces = sql.match(PIECES)?.filter((piece) => !IS_COMMENT.test(piece) && piece.trim() !== '') ?? []
  while (pieces.at(-1) === ';') pieces.pop()
  if (!pieces.includes(';')) return
  // A trigger has statements of its own and ends with END.
  const text = pieces.join(' ').trim()
  if (!/^create\s+(temp\s+|temporary\s+)?trigger\b/i.test(text) || !/;\s*end$/i.test(text))
    throw multipleStatements()
}
