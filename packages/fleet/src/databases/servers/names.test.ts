import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataPath, imageOf } from '#/databases/servers/engines.ts'
import { isTestOf, namesOf, roleFor, roleOf } from '#/databases/servers/names.ts'

test('a database is named like its slug, and its user like it or like its Instance [DBS-041, DBS-043, DBS-044]', () => {
  assert.deepEqual(namesOf('mysql', 'a-b-c', undefined), { database: 'a_b_c', user: 'a_b_c', test: null })
  assert.deepEqual(namesOf('mysql', 'a-b', { project: 'big-shop', instance: 'fix-1' }), {
    database: 'a_b',
    user: 'big_shop_fix_1',
    test: 'a_b_test',
  })
})

test('a name that does not fit is cut before a digest of all of it, so that two stay two [DBS-041, DBS-042]', () => {
  const long = 'x'.repeat(62)
  const names = namesOf('mysql', `${long}a`, { project: 'p'.repeat(40), instance: 'a' })
  assert.match(names.database, /^x{47}_[0-9a-f]{8}$/)
  assert.match(names.user, /^p{23}_[0-9a-f]{8}$/)
  const userOf = (project: string): string => namesOf('mysql', 'a', { project, instance: 'a' }).user
  assert.equal(userOf('p'.repeat(30)), `${'p'.repeat(30)}_a`)
  assert.match(userOf('p'.repeat(31)), /^p{23}_[0-9a-f]{8}$/)
  assert.notEqual(namesOf('mysql', `${long}b`, { project: 'p', instance: 'a' }).database, names.database)
  assert.equal(namesOf('mysql', `${long}a`, undefined).database, `${long}a`)
  assert.equal(namesOf('pgsql', `${long}a`, { project: 'p', instance: 'a' }).test?.length, 63)
})

test('a database and its test databases have a name that a grant of MySQL can name, whose pattern has 64 characters', () => {
  const owner = { project: 'p', instance: 'i' }
  const databaseOf = (slug: string, of?: typeof owner): string => namesOf('mariadb', slug, of).database
  assert.equal(databaseOf('a-'.repeat(21) + 'a'), 'a_'.repeat(21) + 'a')
  assert.match(databaseOf('a-'.repeat(22) + 'a'), /^(?:a_){18}_[0-9a-f]{8}$/)
  assert.equal(databaseOf('a-'.repeat(18) + 'a', owner), 'a_'.repeat(18) + 'a')
  assert.match(databaseOf('a-'.repeat(19) + 'a', owner), /^(?:a_){15}a?_[0-9a-f]{8}$/)
  assert.equal(databaseOf('x'.repeat(57), owner), 'x'.repeat(57))
  assert.match(databaseOf('x'.repeat(58), owner), /^x{47}_[0-9a-f]{8}$/)
})

test('the role of a database of PostgreSQL fits a name of PostgreSQL and is no name of a user', () => {
  const [one = '', other = ''] = ['a', 'b'].map((end) => roleOf('x'.repeat(62) + end))
  assert.match(one, /^fleet\.x{48}_[0-9a-f]{8}$/)
  assert.notEqual(one, other)
  assert.deepEqual([roleFor('pgsql', 'shop'), roleFor('mysql', 'shop')], ['fleet.shop', null])
})

test('a name that begins with a test name is one of its test databases [DBS-047]', () => {
  assert.deepEqual(
    [
      isTestOf('a_test_7', 'a_test'),
      isTestOf('a_testing', 'a_test'),
      isTestOf('a_tes', 'a_test'),
      isTestOf('a', null),
    ],
    [true, true, false, false],
  )
})

test('a tag is one of the image mysql, or names its image [DBS-030]', () => {
  assert.deepEqual(imageOf(null), { engine: 'mysql', tag: '8.4', image: 'mysql:8.4' })
  assert.deepEqual(imageOf('mysql:9'), imageOf('9'))
  assert.deepEqual(imageOf('mariadb:11.8'), { engine: 'mariadb', tag: 'mariadb:11.8', image: 'mariadb:11.8' })
  assert.deepEqual(imageOf('postgres:17-alpine').engine, 'pgsql')
  assert.deepEqual(
    ['8.4', 'postgres:17', 'postgres:18', 'postgres:latest'].map((tag) => dataPath(imageOf(tag))),
    ['/var/lib/mysql', '/var/lib/postgresql/data', '/var/lib/postgresql', '/var/lib/postgresql'],
  )
})
