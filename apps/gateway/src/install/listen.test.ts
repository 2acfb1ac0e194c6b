import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withListen } from './listen.ts'

test('the address of the gateway is added to what it listens on, unless that has it', () => {
  const listen = (current: string | undefined): string => withListen(current, '10.44.0.1', 443)
  assert.equal(listen(undefined), '10.44.0.1:443')
  assert.equal(listen(''), '10.44.0.1:443')
  assert.equal(listen('127.0.0.1:8443, 10.44.0.1:8443'), '10.44.0.1:443,127.0.0.1:8443,10.44.0.1:8443')
  for (const same of ['10.44.0.1:443', '127.0.0.1:8443, 10.44.0.1:443', '0.0.0.0:443', '[::]:443'])
    assert.equal(listen(same), same)
})
