/** What is wrong with a statement, in words of this package: what a server says may quote values (API-011, decision 0369). */
export interface Mistake {
  readonly text: string
  /** The name that it is about, as the statement itself has it. */
  readonly subject?: string
}

/** What no grammar reads. */
export const SYNTAX_ERROR: Mistake = { text: 'syntax error' }

/** Mistakes about one name, which the server quotes. All others may quote values, so nothing is taken from their text. */
const ABOUT_A_NAME = {
  table: 'no such table',
  column: 'no such column',
  function: 'no such function for these arguments',
  schema: 'no such schema',
  ambiguous: 'more than one table has this column',
  denied: 'the login has no permission for this',
} as const

type Kind = keyof typeof ABOUT_A_NAME

/** By SQLSTATE (errcodes-appendix.html). */
const POSTGRES: ReadonlyMap<string, string> = new Map<string, Kind | (string & {})>([
  ['42P01', 'table'],
  ['42703', 'column'],
  ['42883', 'function'],
  ['3F000', 'schema'],
  ['42702', 'ambiguous'],
  ['42501', 'denied'],
  ['42601', SYNTAX_ERROR.text],
  ['42803', 'a column is neither aggregated nor in GROUP BY'],
  ['42804', 'the types do not match'],
  ['42P18', 'the type of a value is not known: cast it'],
  ['42846', 'this type cannot be cast to the other'],
  ['22P02', 'a text is not a value of its type'],
  ['22007', 'a text is not a date or time'],
  ['22008', 'a date or time is out of range'],
  ['22003', 'a number is out of range'],
  ['22012', 'division by zero'],
  ['21000', 'a subquery has more than one row'],
  ['23502', 'a column that must have a value gets none'],
  ['23503', 'a foreign key leads nowhere, or is still needed'],
  ['23505', 'a value that must be unique exists already'],
  ['23514', 'a check of the table refuses a row'],
  ['42P07', 'the table exists already'],
  ['42P02', 'the statement has a parameter, and no values are sent with it'],
])

/** By the symbol of the error: for what its name alone does not say, or says of a name. */
const MYSQL: ReadonlyMap<string, string> = new Map<string, Kind | (string & {})>([
  ['ER_NO_SUCH_TABLE', 'table'],
  ['ER_UNKNOWN_TABLE', 'table'],
  ['ER_BAD_FIELD_ERROR', 'column'],
  ['ER_SP_DOES_NOT_EXIST', 'function'],
  ['ER_NON_UNIQ_ERROR', 'ambiguous'],
  ['ER_TABLEACCESS_DENIED_ERROR', 'denied'],
  ['ER_COLUMNACCESS_DENIED_ERROR', 'denied'],
  ['ER_PARSE_ERROR', SYNTAX_ERROR.text],
  ['ER_WRONG_FIELD_WITH_GROUP', 'a column is neither aggregated nor in GROUP BY'],
  ['ER_MIX_OF_GROUP_FUNC_AND_FIELDS', 'a column is neither aggregated nor in GROUP BY'],
  ['ER_SUBQUERY_NO_1_ROW', 'a subquery has more than one row'],
  ['ER_BAD_NULL_ERROR', 'a column that must have a value gets none'],
  ['ER_NO_DEFAULT_FOR_FIELD', 'a column that must have a value gets none'],
  ['ER_ROW_IS_REFERENCED_2', 'a foreign key still needs the row'],
  ['ER_NO_REFERENCED_ROW_2', 'a foreign key leads nowhere'],
  ['ER_DUP_ENTRY', 'a value that must be unique exists already'],
])

/** By the beginning of what SQLite says, which has one code for all of them (parse.y, resolve.c, select.c). */
const SQLITE: ReadonlyArray<readonly [RegExp, Kind | (string & {})]> = [
  [/^no such table: /, 'table'],
  [/^no such column: /, 'column'],
  [/^(?:no such function: |wrong number of arguments to function )/, 'function'],
  [/^ambiguous column name: /, 'ambiguous'],
  [/^(?:near "|unrecognized token)/, SYNTAX_ERROR.text],
  [/^incomplete input/, 'the statement is not complete'],
  [/^misuse of (?:aggregate|window function)/, 'an aggregate or window function cannot be here'],
  [/do not have the same number of result columns$/, 'the parts have different numbers of columns'],
  [/^integer overflow/, 'a number is out of range'],
  [/^(?:malformed JSON|bad JSON path)/, 'a text is not JSON, or not a path in it'],
  [/^UNIQUE constraint failed/, 'a value that must be unique exists already'],
  [/^NOT NULL constraint failed/, 'a column that must have a value gets none'],
  [/^FOREIGN KEY constraint failed/, 'a foreign key leads nowhere, or is still needed'],
  [/^CHECK constraint failed/, 'a check of the table refuses a row'],
]

export const postgresMistake = (sqlState: string, said: string, sql: string): Mistake | undefined =>
  mistakeOf(POSTGRES.get(sqlState), said, sql)

export const mysqlMistake = (symbol: string, said: string, sql: string): Mistake | undefined =>
  mistakeOf(MYSQL.get(symbol), said, sql)

export const sqliteMistake = (said: string, sql: string): Mistake | undefined =>
  mistakeOf(SQLITE.find(([beginning]) => beginning.test(said))?.[1], said, sql)

function mistakeOf(known: string | undefined, said: string, sql: string): Mistake | undefined {
  if (known === undefined) return undefined
  if (!isKind(known)) return { text: known }
  const subject = nameIn(said, sql)
  return { text: ABOUT_A_NAME[known], ...(subject === undefined ? {} : { subject }) }
}

/** What an error of a driver quotes of its server. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')

const isKind = (known: string): known is Kind => Object.hasOwn(ABOUT_A_NAME, known)

/** The first name that the server points at and the statement has outside its texts. */
function nameIn(said: string, sql: string): string | undefined {
  const names = new Set(wordsOf(withoutTexts(sql)).flatMap((word) => [word, ...word.split('.')]))
  return [...said.matchAll(POINTED_AT)]
    .map(([, name = '']) => name)
    .flatMap((name) => [name, name.split('.').at(-1) ?? name])
    .find((name) => names.has(name))
}

/** In the quotes of any language, behind a kind of thing, or at the end behind a colon. */
const POINTED_AT =
  /(?:["'`«„“‘»]\s?|\b(?:column|function|procedure|name) |: (?=\S+$))([\p{L}_][\p{L}\p{N}_$.]*)/giu

const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}_][\p{L}\p{N}_$.]*/gu) ?? []

/** What may be a value: a text in either kind of quotes, and a comment. */
const withoutTexts = (sql: string): string =>
  sql.replaceAll(/'(?:[^'\\]|''|\\.)*'?|"(?:[^"]|"")*"?|--[^\n]*|#[^\n]*|\/\*[^]*?(?:\*\/|$)/g, ' ')
