import assert from 'node:assert/strict'
import { test } from 'node:test'
import { knownHostName, sshAddressOf } from '#/source-host/address.ts'

test('the SSH server of a repository follows from its URL, and is named as known_hosts names it', () => {
  const named = (url: string): string | undefined => {
    const address = sshAddressOf(url)
    return address && knownHostName(address)
  }
  assert.equal(named('git@Git.Example:acme/shop.git'), 'git.example')
  assert.equal(named('git.example:shop'), 'git.example')
  assert.equal(named('ssh://git@git.example/shop.git'), 'git.example')
  assert.equal(named('ssh://git.example:2222/shop.git'), '[git.example]:2222')
  assert.equal(named('ssh://git@[2001:db8::1]:2222/shop.git'), '[2001:db8::1]:2222')
  assert.equal(named('git@[2001:db8::1]:shop.git'), '2001:db8::1')
  assert.equal(named('ssh://git.example:0/shop.git'), undefined)
  assert.equal(named('ssh://git.example:70000/shop.git'), undefined)
  assert.equal(named('https://git.example/shop.git'), undefined)
})
