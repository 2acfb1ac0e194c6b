import assert from 'node:assert/strict'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { script } from '@fleet/shell'
import { runLocally } from '@fleet/ssh'
import { fakeCall } from '@fleet/testing'
import { startWorld, type World } from '#/certificates/world.test.ts'
import type { NodeRecord } from '#/nodes/api.ts'

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

/** What Doctor says of the trust of a Node; `not asked` where it does not look. */
async function said({ certificates, session }: World, given: Partial<NodeRecord> = {}): Promise<unknown> {
  const node = { ...session.node, platform: 'linux', ssh_host_fingerprint: 'SHA256:x', ...given } as const
  const parts = certificates.checks.filter(({ family }) => family === 'node')
  const [check] = (await Promise.all(parts.map((part) => part.checksOf(fakeCall(), node)))).flat()
  if (check?.kind !== 'asked') return 'not asked'
  assert.equal(check.code, 'node.root_untrusted')
  const { question } = check
  const { exitCode, stdout } = await runLocally(script(question.source, ...(question.args ?? [])), {
    timeoutMilliseconds: 20_000,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  })
  const text = stdout.toString().replace(/\n$/, '')
  const verdict = await check.judge(question.read({ exitCode: exitCode ?? 1, text }))
  return verdict && 'observed' in verdict ? verdict.observed : verdict
}

test('Doctor reports a managed Node whose system store lost the root, or has another in its place [RTX-099]', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, at } = world
  assert.equal(await said(world), 'none')
  await certificates.trust.install(session)
  assert.equal(await said(world), undefined)
  for (const [harm, expected] of [
    [() => rmSync(at('etc/ssl/certs/fleet-gateway.pem')), 'none'],
    [() => writeFileSync(at(BUNDLE), ''), 'none'],
    [() => rmSync(at(FILE)), 'none'],
  ] as const) {
    harm()
    assert.equal(await said(world), expected)
    await certificates.trust.install(session)
  }
  const other = await startWorld(context)
  await other.certificates.trust.install(other.session)
  for (const path of [FILE, BUNDLE]) writeFileSync(at(path), other.read(path) ?? '')
  assert.equal(await said(world), 'another root')
  assert.equal(await said(world, { ssh_host_fingerprint: null }), 'not asked')
  assert.equal(await said(world, { platform: null }), 'not asked')
})
