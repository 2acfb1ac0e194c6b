import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as z from 'zod'
import { databaseCreate } from './create.ts'
import { databaseDescribe } from './describe.ts'
import { databaseQuery } from './query.ts'
import { databaseHost, databasePath, databasePrefix, databaseSlug } from './records.ts'
import { databaseUpdate } from './update.ts'
import { databaseUserCreate } from './user-create.ts'

const takes = (schema: z.ZodType, given: unknown): boolean => schema.safeParse(given).success

test('a slug is lowercase words joined by hyphens, at most 63 characters [DB-004, DBS-001, LIM-010]', () => {
  for (const slug of ['a', 'shop-production', '7-up', 'a'.repeat(63)])
    assert.ok(takes(databaseSlug, slug), slug)
  for (const slug of ['', 'My_Slug', 'a--b', '-a', 'a-', 'a b', 'ä', 'a'.repeat(64), 7])
    assert.ok(!takes(databaseSlug, slug), String(slug))
})

test('a host is a name or an address, without user or port [DB-009]', () => {
  for (const host of [
    'localhost',
    'db.internal',
    'db_1',
    '10.0.0.7',
    '::1',
    'fe80::1',
    `${'a'.repeat(63)}.b`,
  ])
    assert.ok(takes(databaseHost, host), host)
  for (const host of [
    '',
    'user@h',
    'h:3306',
    '[::1]',
    '[::1]:5',
    'a..b',
    '-a',
    'a b',
    '/run/x',
    'a'.repeat(64),
    7,
  ])
    assert.ok(!takes(databaseHost, host), String(host))
})

test('a path is absolute and has at most 1,024 characters [DB-012, LIM-010]', () => {
  for (const path of ['/a', '/srv/shop/database.sqlite', `/${'a'.repeat(1023)}`])
    assert.ok(takes(databasePath, path), path)
  for (const path of ['', '/', 'a', './a', '/a/', '/a\nb', '/a\0', `/${'a'.repeat(1024)}`])
    assert.ok(!takes(databasePath, path), path)
  // A second spelling of a file would be another file to whoever compares the records.
  for (const path of ['//a', '/srv//a', '/srv/./a', '/srv/../a', '/..', '/.'])
    assert.ok(!takes(databasePath, path), path)
  for (const path of ['/.a', '/...', '/srv/..a/b c?#%.sqlite', '/ü'])
    assert.ok(takes(databasePath, path), path)
})

for (const [name, input] of [
  ['a creation', databaseCreate.input],
  ['an update', databaseUpdate.input],
] as const)
  test(`${name} takes a port of 1 to 65535, a known driver, and no empty password [DB-005, DB-010, LIM-010]`, () => {
    const with_ = (more: object): boolean => takes(input, { slug: 'a', ...more })
    for (const port of [1, 65_535]) assert.ok(with_({ port }))
    for (const port of [0, 65_536, 1.5, '80']) assert.ok(!with_({ port }))
    for (const driver of ['mysql', 'pgsql', 'sqlite', 'redis']) assert.ok(with_({ driver }))
    for (const driver of ['mariadb', '', null]) assert.ok(!with_({ driver }))
    assert.ok(with_({ password: 'x' }))
    for (const password of ['', 'x'.repeat(1025), 7]) assert.ok(!with_({ password }))
    for (const more of [
      { database: 'a\nb' },
      { username: '' },
      { database: 'x'.repeat(129) },
      { unknown: 1 },
    ])
      assert.ok(!with_(more), JSON.stringify(more))
  })

test('a prefix has at most 32 characters [LIM-011]', () => {
  for (const prefix of ['D', 'DB', 'A'.repeat(32)]) assert.ok(takes(databasePrefix, prefix), prefix)
  for (const prefix of ['', 'A'.repeat(33)]) assert.ok(!takes(databasePrefix, prefix), prefix)
})

test('an index of redis may be a number [DBS-004]', () => {
  for (const database of [0, 16, 999]) assert.ok(takes(databaseCreate.input, { slug: 'a', database }))
  for (const database of [-1, 1000, 1.5]) assert.ok(!takes(databaseCreate.input, { slug: 'a', database }))
})

test('a user is an identifier of 1 to 32 characters with a password [DBS-015]', () => {
  const given = (more: object): boolean =>
    takes(databaseUserCreate.input, { slug: 'a', username: 'reader', password: 'x', ...more })
  for (const more of [{}, { read_only: true }, { username: 'a'.repeat(32) }]) assert.ok(given(more))
  for (const more of [
    { username: '' },
    { username: 'a-b' },
    { username: 'a'.repeat(33) },
    { password: '' },
    { read_only: 'x' },
  ])
    assert.ok(!given(more), JSON.stringify(more))
  assert.ok(!takes(databaseUserCreate.input, { slug: 'a', username: 'reader' }))
})

test('the text has 1 to 16,384 characters, and the mode is a flag [DB-051, DB-052, DBS-008, LIM-008]', () => {
  const runs = (given: object): boolean => takes(databaseQuery.input, { slug: 'a', ...given })
  for (const given of [{ sql: 'x' }, { sql: 'x'.repeat(16_384) }, { sql: 'x', write: true }])
    assert.ok(runs(given))
  for (const given of [
    {},
    { sql: '' },
    { sql: 'x'.repeat(16_385) },
    { sql: 'x', write: 'x' },
    { sql: 'x', host: 'h' },
  ])
    assert.ok(!runs(given), JSON.stringify(given).slice(0, 40))
})

test('a table is whatever name a database may list', () => {
  const named = (table: string): boolean => takes(databaseDescribe.input, { slug: 'a', table })
  for (const table of ['orders', '1-a', 'other.order items', `a"b'c`, '日本', '👩‍🚀', 'a'.repeat(255)])
    assert.ok(named(table), table)
  for (const table of ['', 'a\0b', 'a\nb', '\ud800', 'a'.repeat(256)]) assert.ok(!named(table), table)
})
