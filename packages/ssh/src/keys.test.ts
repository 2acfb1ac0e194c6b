import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Secret } from '@fleet/kernel'
import { fingerprintOf, generateSshKey, publicKeyBlob, readSshKey } from './keys.ts'

const KEYGEN = '/usr/bin/ssh-keygen'

test('a new key is an ed25519 key whose parts belong together', () => {
  const key = generateSshKey('gateway')
  assert.match(key.publicKey, /^ssh-ed25519 [A-Za-z0-9+/]+=* gateway$/)
  assert.match(key.fingerprint, /^SHA256:[A-Za-z0-9+/]{43}$/)
  assert.equal(fingerprintOf(publicKeyBlob(key.publicKey)), key.fingerprint)
  assert.deepEqual({ ...readSshKey(key.privateKey), privateKey: '' }, { ...key, privateKey: '' })
})

test('every new key can be read back', () => {
  // A generator that pads wrongly fails for a few in a thousand, so a single key proves nothing.
  const fingerprints = new Set(Array.from({ length: 1500 }, () => generateSshKey().fingerprint))
  assert.equal(fingerprints.size, 1500)
})

test(
  'ssh-keygen reads a new key and sees the same fingerprint',
  existsSync(KEYGEN) ? {} : { skip: `no ${KEYGEN}` },
  (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'fleet-keys-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const key = generateSshKey('who where')
    const path = join(directory, 'key')
    writeFileSync(path, `${key.privateKey.reveal()}\n`, { mode: 0o600 })
    const ask = (...args: string[]): string =>
      spawnSync(KEYGEN, [...args, '-f', path], { encoding: 'utf8' }).stdout.trim()
    assert.equal(ask('-l'), `256 ${key.fingerprint} who where (ED25519)`)
    assert.equal(ask('-y'), key.publicKey)
  },
)

test('PKCS8 keys of every usual kind are read', () => {
  const kinds: readonly [KeyObject, string][] = [
    [generateKeyPairSync('ed25519').privateKey, 'ssh-ed25519'],
    [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'ssh-rsa'],
    [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'ecdsa-sha2-nistp256'],
  ]
  for (const [key, type] of kinds) {
    const pem = key.export({ type: 'pkcs8', format: 'pem' })
    assert.ok(readSshKey(new Secret(pem)).publicKey.startsWith(`${type} `))
  }
})

test('a PKCS8 key keeps its public side', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const read = readSshKey(new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' })))
  assert.deepEqual(publicKeyBlob(read.publicKey).subarray(-32), Buffer.from(x, 'base64url'))
})

test('what is no private key is refused without being quoted', () => {
  for (const text of [
    'hunter2',
    generateSshKey().publicKey,
    '-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----',
  ]) {
    assert.throws(
      () => readSshKey(new Secret(text)),
      (error) => !inspect(error, { depth: 10 }).includes('hunter2'),
    )
  }
  assert.throws(() => publicKeyBlob('ssh-ed25519 nonsense'), /not a public SSH key/)
})

test('a fingerprint is the unpadded SHA-256 of the wire format', () => {
  const digest = createHash('sha256').update('x').digest('base64')
  assert.equal(fingerprintOf(Buffer.from('x')), `SHA256:${digest.replace('=', '')}`)
})
