import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientError } from '#/exit.ts'
import { checkedName, checkedPin, checkedUrl } from './profile.ts'

const code = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error instanceof ClientError ? error.code : error
  }
}

test('a gateway is an https origin without credentials [GW-055]', () => {
  assert.equal(checkedUrl('https://Gateway.fleet:8443/'), 'https://gateway.fleet:8443')
  for (const url of [
    'http://10.44.0.1',
    '10.44.0.1',
    'https://u:p@10.44.0.1',
    'https://10.44.0.1/api',
    'https://10.44.0.1/?x=1',
    'file:///x',
  ]) {
    assert.equal(
      code(() => checkedUrl(url)),
      'gateway.profile_invalid',
      url,
    )
  }
})

test('a name fits a file name and does not shadow the embedded fleet [GW-055]', () => {
  assert.equal(checkedName('office-1'), 'office-1')
  for (const name of ['', '-x', 'a/b', 'a b', 'embedded', 'x'.repeat(64)])
    assert.equal(
      code(() => checkedName(name)),
      'gateway.profile_invalid',
      name,
    )
})

test('a fingerprint may be written with colons, spaces and its kind', () => {
  const pin = 'ab'.repeat(32)
  assert.equal(checkedPin(pin), pin)
  assert.equal(checkedPin(`SHA256:${'AB:'.repeat(31)}AB`), pin)
  assert.equal(checkedPin(`sha256=${pin}`), pin)
  for (const text of ['', 'ab', `${pin}0`, 'zz'.repeat(32)])
    assert.equal(
      code(() => checkedPin(text)),
      'gateway.ca_pin_invalid',
    )
})
