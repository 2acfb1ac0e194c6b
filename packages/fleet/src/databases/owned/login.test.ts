import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStore } from '@fleet/testing'
import { ownedLogin } from '#/databases/owned/login.ts'
import { sealPassword } from '#/databases/password.ts'

test('a database is created with names, user and password of its record, and of one that lacks any nothing is sent', async () => {
  await using store = await openTestStore()
  const password = sealPassword(store.cipher, 7, 'its password')
  const row = { id: 7, database_name: 'shop', test_database: null, username: 'shop_user', password }
  const { password: opened, ...names } = ownedLogin(store.cipher, row)
  assert.deepEqual(
    [names, opened.reveal()],
    [{ database: 'shop', test: null, user: 'shop_user' }, 'its password'],
  )
  for (const lacking of [{ database_name: null }, { username: null }, { password: null }])
    assert.throws(() => ownedLogin(store.cipher, { ...row, ...lacking }), {
      code: 'database.server_command_failed',
    })
})
