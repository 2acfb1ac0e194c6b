import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLoopback } from '#/network/loopback.ts'

test('an address of the machine itself is known in each form', () => {
  for (const host of [
    'localhost db.localhost LOCALHOST Db.LocalHost ip6-localhost ip6-loopback localhost.localdomain localhost6',
    '127.0.0.1 127.9.9.9 127.1 127.0.1 0.0.0.0 0 0.1.2.3 2130706433 0x7f000001 0177.0.0.1 0x7F.1 017700000001',
    '::1 :: 0:0:0:0:0:0:0:1 0::0 ::ffff:127.0.0.1 ::FFFF:7f00:1 ::ffff:0.0.0.0 0:0:0:0:0:ffff:7f12:3 ::1%lo',
  ].flatMap((line) => line.split(' ')))
    assert.ok(isLoopback(host), host)
  for (const host of [
    '127.0.0.1.example.com localhost.example.com db_1 my-localhost 128.0.0.1 10.0.0.1 167772161 012.0.0.1 1.2.3.999',
    '::2 fd00::1 ::ffff:10.0.0.1 1::1 fe80::1%eth0 127::1',
  ].flatMap((line) => line.split(' ')))
    assert.ok(!isLoopback(host), host)
})
