import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unreadablePassword } from '#/databases/password.ts'

test('who cannot set a password that the fleet chose is not told to', () => {
  assert.match(
    unreadablePassword({ slug: 'shop', server_id: null }),
    /`fleet database:update shop --password`/,
  )
  const ofServer = unreadablePassword({ slug: 'shop', server_id: 3 })
  assert.match(ofServer, /connection shop .* from a backup\.$/)
  // It is refused for such a connection.
  assert.doesNotMatch(ofServer, /database:update/)
})
