import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type Mistake, mysqlMistake, postgresMistake, sqliteMistake } from './mistakes.ts'

const COLUMN = 'no such column'
const TABLE = 'no such table'

test('a name that PostgreSQL does not know is told as the statement has it', () => {
  const told = (code: string, said: string, sql: string) => postgresMistake(code, said, sql)
  assert.deepEqual(told('42P01', 'relation "nope" does not exist', 'select * from nope'), {
    text: TABLE,
    subject: 'nope',
  })
  assert.deepEqual(told('42P01', 'relation "a.nope" does not exist', 'select * from a.nope'), {
    text: TABLE,
    subject: 'a.nope',
  })
  assert.deepEqual(told('42703', 'column t.size does not exist', 'select t.size from things t'), {
    text: COLUMN,
    subject: 't.size',
  })
  assert.deepEqual(told('42703', 'Spalte »größe« existiert nicht', 'select größe from things'), {
    text: COLUMN,
    subject: 'größe',
  })
  const text = 'no such function for these arguments'
  assert.deepEqual(told('42883', 'function lenght(text) does not exist', "select lenght('a')"), {
    text,
    subject: 'lenght',
  })
  assert.deepEqual(told('42883', 'operator does not exist: text + integer', "select 'a'::text + 1"), { text })
})

test('what may be a value is never told: neither what a conversion quotes nor what stands in quotes', () => {
  const values: ReadonlyArray<Mistake | undefined> = [
    postgresMistake('22P02', 'invalid input syntax for type integer: "hunter2"', 'select hunter2::int'),
    postgresMistake('23505', 'Key (email)=(hunter2) "hunter2"', 'insert into t values (hunter2)'),
    postgresMistake('42601', 'syntax error at or near "hunter2"', "select 'it's hunter2"),
    postgresMistake('42703', 'column "hunter2" does not exist', 'select * from t where password = "hunter2"'),
    postgresMistake('42703', 'column "hunter2" does not exist', 'select a -- hunter2'),
    mysqlMistake('ER_DUP_ENTRY', "Duplicate entry 'hunter2' for key 'email'", 'insert into t select hunter2'),
    mysqlMistake('ER_PARSE_ERROR', "… near 'hunter2 at line 1", "select 'it's hunter2"),
    mysqlMistake('ER_BAD_FIELD_ERROR', "Unknown column 'hunter2' in 'where'", 'select 1 # hunter2'),
    sqliteMistake('no such column: hunter2', 'select * from t where password = "hunter2"'),
    sqliteMistake('near "hunter2": syntax error', "select 'it's hunter2"),
  ]
  for (const value of values)
    assert.ok(value && !JSON.stringify(value).includes('hunter2'), value?.text ?? '')
})

test('a name of the server alone is not told', () => {
  const inView = postgresMistake('42501', 'permission denied for table secrets', 'select * from a_view')
  assert.deepEqual(inView, { text: 'the login has no permission for this' })
  assert.equal(postgresMistake('XX000', 'internal "select"', 'select 1'), undefined)
})

test('a name that MySQL does not know is told without the database it looked in', () => {
  const told = (symbol: string, said: string, sql: string) => mysqlMistake(symbol, said, sql)?.subject
  assert.equal(told('ER_NO_SUCH_TABLE', "Table 'shop.nope' doesn't exist", 'select * from nope'), 'nope')
  assert.equal(
    told('ER_BAD_FIELD_ERROR', "Unknown column 'size' in 'field list'", 'select `size` from t'),
    'size',
  )
  assert.equal(
    told(
      'ER_TABLEACCESS_DENIED_ERROR',
      "SELECT command denied to user 'bob'@'10.0.0.1' for table `shop`.`users`",
      'select * from users',
    ),
    'users',
  )
  assert.equal(
    told('ER_SP_DOES_NOT_EXIST', 'FUNCTION shop.lenght does not exist', 'select lenght(a) from t'),
    'lenght',
  )
})

test('what SQLite itself says is told apart, though its code is one', () => {
  using database = new DatabaseSync(':memory:')
  database.exec('create table t (a integer primary key, b text not null unique); create table u (a)')
  for (const [sql, text, subject] of [
    ['select * from nope', TABLE, 'nope'],
    ['select c from t', COLUMN, 'c'],
    ['select lenght(b) from t', 'no such function for these arguments', 'lenght'],
    ['select length() from t', 'no such function for these arguments', 'length'],
    ['select a from t, u', 'more than one table has this column', 'a'],
    ['selec a from t', 'syntax error', undefined],
    ['select (a from t', 'syntax error', undefined],
    ['select a from', 'the statement is not complete', undefined],
    ['select sum(count(a)) from t', 'an aggregate or window function cannot be here', undefined],
    ['select a from t union select a, b from t', 'the parts have different numbers of columns', undefined],
    ["select json_extract('{', '$')", 'a text is not JSON, or not a path in it', undefined],
    ['select abs(-9223372036854775808)', 'a number is out of range', undefined],
    ['insert into t values (1, null)', 'a column that must have a value gets none', undefined],
  ] as const)
    assert.throws(
      () => database.prepare(sql).all(),
      (error) => {
        const told = sqliteMistake(error instanceof Error ? error.message : '', sql)
        assert.deepEqual([told?.text, told?.subject], [text, subject], String(error))
        return true
      },
    )
})
