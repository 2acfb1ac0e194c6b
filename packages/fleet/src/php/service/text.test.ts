import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quoted, UnsafeDirectory } from './text.ts'

test('a directory is one quoted value of a pool, and one that would end or change the value is refused', () => {
  for (const directory of ['/srv/app', '/srv/my app', "/srv/it's", '/srv/a;b#c', '/srv/größe'])
    assert.equal(quoted(directory), `"${directory}"`)
  for (const directory of [
    '/srv/a"b',
    '/srv/a\\',
    '/srv/$HOME',
    '/srv/a\nuser = root',
    '/srv/a\0',
    '/srv/a\x7f',
  ])
    assert.throws(() => quoted(directory), UnsafeDirectory, JSON.stringify(directory))
})
