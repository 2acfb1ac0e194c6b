import assert from 'node:assert/strict'
import { test } from 'node:test'
import { broadcastingAuthorize, broadcastingShow } from './index.ts'

for (const { method, input } of [broadcastingAuthorize, broadcastingShow]) {
  const takes = (given: object): boolean => input.safeParse(given).success

  test(`${method}: a socket is digits, a dot and digits [RT-002]`, () => {
    for (const socket_id of ['1.2', '123456.7890123']) assert.ok(takes({ socket_id, channel_name: 'fleet' }))
    assert.ok(!takes({ channel_name: 'fleet' }))
    for (const socket_id of ['abc', '1', '1.', '.2', '1.2.3', ' 1.2', '1.2\n', 'a1.2', 1.2, null])
      assert.ok(!takes({ socket_id, channel_name: 'fleet' }), String(socket_id))
  })

  test(`${method}: a channel is required, and a text [RT-003]`, () => {
    assert.ok(takes({ socket_id: '1.2', channel_name: 'private-fleet' }))
    assert.ok(!takes({ socket_id: '1.2' }))
    for (const channel_name of ['', 7, null, ['fleet']]) assert.ok(!takes({ socket_id: '1.2', channel_name }))
  })
}
