import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admit, isAllowedOrigin } from './admission.ts'

test('a page may connect from an allowed host only, a program without an origin always', () => {
  const allowed = ['*.fleet', 'console.test']
  const origins = ['https://a.fleet', 'https://a.b.fleet:444', 'http://console.test', undefined]
  for (const origin of origins) assert.ok(isAllowedOrigin(origin, allowed), String(origin))
  const strangers = ['https://fleet', 'https://evilfleet', 'https://console.test.evil', 'null', '', 'x']
  for (const origin of strangers) assert.ok(!isAllowedOrigin(origin, allowed), origin)
  assert.ok(isAllowedOrigin('https://anything', ['*']))
})

test('a target that is no URL names no application', () => {
  for (const url of ['//', '/\\\\', 'http://[', '//a:b'])
    assert.equal(
      admit({ url, headers: {} }, () => undefined, []),
      'pathUnknown',
      url,
    )
})
