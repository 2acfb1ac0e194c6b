import { SYNTAX_ERROR } from '#/mistakes.ts'
import { isWritingVerb, multipleStatements, statementFailed, writeRequired } from '#/statement.ts'

const PIECES =
  /--[^\n]*|\/\*[^]*?(?:\*\/|$)|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?|;|[^-/'"`[;]+|[-/]/g
const IS_COMMENT = /^(?:--|\/\*)/

/** Throws unless the text begins as a read does. What it reads, the authorizer judges. */
export function requireReadVerb(sql: string): void {
  const text = piecesOf(sql).join(' ').trim()
  if (isPlan(sql) && PLANNED.test(text)) return
  if (!/^(explain\s+(query\s+plan\s+)?)?(select|values|with|pragma)\b/i.test(text))
    throw refused(/^\s*(?:explain\s+(?:query\s+plan\s+)?)?(\w+)/i.exec(text)?.[1] ?? '')
}

/** EXPLAIN plans and runs nothing, a write as little as a read (lang_explain.html). */
export const isPlan = (sql: string): boolean => /^explain\b/i.test(piecesOf(sql).join(' ').trim())

const PLANNED = /^explain\s+(?:query\s+plan\s+)?(?:insert|replace|update|delete)\b/i

const refused = (verb: string): Error =>
  isWritingVerb(verb, ACTING)
    ? writeRequired(verb.toUpperCase())
    : statementFailed('SQLITE_ERROR', { mistake: SYNTAX_ERROR })

/** The statements of SQLite that are no reads (lang.html). */
const ACTING = new Set(
  (
    'alter analyze attach begin commit create delete detach drop end insert reindex release replace rollback savepoint ' +
    'update vacuum'
  ).split(' '),
)

const piecesOf = (sql: string): string[] =>
  sql.match(PIECES)?.filter((piece) => !IS_COMMENT.test(piece) && piece.trim() !== '') ?? []

/** Throws unless the text is one statement: the library itself runs the first and drops the rest in silence. */
export function requireOneSqliteStatement(sql: string): void {
  const pieces = piecesOf(sql)
  while (pieces.at(-1) === ';') pieces.pop()
  if (!pieces.includes(';')) return
  // A trigger has statements of its own and ends with END.
  const text = pieces.join(' ').trim()
  if (!/^create\s+(temp\s+|temporary\s+)?trigger\b/i.test(text) || !/;\s*end$/i.test(text))
    throw multipleStatements()
}
