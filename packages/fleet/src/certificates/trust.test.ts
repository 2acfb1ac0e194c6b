import assert from 'node:assert/strict'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { startWorld } from '#/certificates/world.test.ts'

const FILE = 'usr/local/share/ca-certificates/fleet-gateway.crt'
const BUNDLE = 'etc/ssl/certs/ca-certificates.crt'

test('the system store of a machine holds the root, and then costs one round trip [RTX-099]', async (context) => {
  const { certificates, session, pool, root, read, at, ran } = await startWorld(context)
  assert.equal(await certificates.trust.install(session), 'installed')
  assert.equal(read(FILE), root.certificate)
  assert.equal(read(BUNDLE), root.certificate)
  assert.equal(statSync(at(FILE)).mode & 0o777, 0o644)
  assert.equal(await certificates.trust.install(session), 'unchanged')
  assert.deepEqual([pool.executed.length, ran()], [2, ['update-ca-certificates']])
})

test('a store that lost the root, or holds another in its place, gets it back [RTX-099]', async (context) => {
  const { certificates, session, root, read, at } = await startWorld(context)
  await certificates.trust.install(session)
  const harms = [
    () => writeFileSync(at(FILE), 'other\n'),
    () => writeFileSync(at(BUNDLE), ''),
    () => rmSync(at(FILE)),
    () => rmSync(at('etc/ssl/certs/fleet-gateway.pem')),
  ]
  for (const harm of harms) {
    harm()
    assert.equal(await certificates.trust.install(session), 'installed')
    assert.deepEqual([read(FILE), read(BUNDLE)], [root.certificate, root.certificate])
  }
})

test('a store that stays as it is is reported', async (context) => {
  const { certificates, session, at } = await startWorld(context)
  writeFileSync(at('bin/update-ca-certificates'), '#!/bin/sh\nexit 0\n')
  await assert.rejects(certificates.trust.install(session), {
    code: 'certificate.trust_failed',
    details: { node: { id: 7, name: 'web-1' }, reason: 'trust_failed' },
  })
})

test('a machine that leaves does not trust the root any more, however often it is requested', async (context) => {
  const { certificates, session, read, ran } = await startWorld(context)
  await certificates.trust.install(session)
  await certificates.trust.remove(session)
  assert.deepEqual([read(FILE), read(BUNDLE)], [undefined, ''])
  await certificates.trust.remove(session)
  assert.equal(ran().length, 2)
})
