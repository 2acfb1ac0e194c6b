import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ClientError } from '#/exit.ts'
import type { RootCertificate } from './certificate.ts'
import { debianStore, type SystemStore, updateSystemStore } from './system-store.ts'

const root: RootCertificate = {
  pem: 'PEM',
  fingerprint: 'ab'.repeat(32),
  subject: 'CN=Fleet',
  validTo: 'later',
}
const fake = (given: Partial<SystemStore>): SystemStore & { readonly installed: string[] } => {
  const installed: string[] = []
  return {
    installed,
    fingerprints: () => new Set(),
    obstacle: () => Promise.resolve(undefined),
    install: (name, pem) => Promise.resolve(void installed.push(`${name} ${pem}`)),
    ...given,
  }
}
const code = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.catch((error: unknown) => (error instanceof ClientError ? error.code : error))

test('a root that the system trusts already is left alone', async () => {
  const store = fake({ fingerprints: () => new Set([root.fingerprint]) })
  assert.equal(await updateSystemStore(store, 'office', root, true), 'trusted')
  assert.deepEqual(store.installed, [])
})

test('the store of the system is changed only when asked', async () => {
  const store = fake({})
  assert.equal(await updateSystemStore(store, 'office', root, false), 'absent')
  assert.deepEqual(store.installed, [])
  assert.equal(await updateSystemStore(store, 'office', root, true), 'installed')
  assert.deepEqual(store.installed, ['office PEM'])
})

test('a store that cannot be read or changed has codes of its own [GW-055]', async () => {
  const broken = (): never => {
    throw new Error('broken')
  }
  assert.equal(
    await code(updateSystemStore(fake({ fingerprints: broken }), 'office', root, false)),
    'gateway.ca_store_failed',
  )
  assert.equal(
    await code(
      updateSystemStore(fake({ install: () => Promise.reject(new Error('full')) }), 'office', root, true),
    ),
    'gateway.ca_install_failed',
  )
  assert.equal(
    await code(
      updateSystemStore(fake({ obstacle: () => Promise.resolve('Only root may.') }), 'office', root, true),
    ),
    'gateway.ca_install_failed',
  )
})

test('on Debian root puts the certificate into its folder, and the updater reads it there [GW-054]', async (context) => {
  const system = mkdtempSync(join(tmpdir(), 'fleet-debian-'))
  context.after(() => rmSync(system, { recursive: true }))
  const folder = join(system, 'usr/local/share/ca-certificates')
  let isRoot = false
  const store = debianStore(system, () => isRoot)
  assert.match((await store.obstacle()) ?? '', /^Fleet cannot update/)
  for (const made of [folder, join(system, 'usr/sbin')]) mkdirSync(made, { recursive: true })
  const updater = join(system, 'usr/sbin/update-ca-certificates')
  writeFileSync(updater, `#!/bin/sh\nls ${folder} >${system}/seen\ncat ${folder}/*.crt >>${system}/seen\n`, {
    mode: 0o755,
  })
  assert.match((await store.obstacle()) ?? '', /^Only root/)
  isRoot = true
  assert.equal(await store.obstacle(), undefined)
  const mask = process.umask(0o077)
  await store.install('office', 'PEM\n').finally(() => process.umask(mask))
  assert.equal(readFileSync(join(system, 'seen'), 'utf8'), 'fleet-profile-office.crt\nPEM\n')
  assert.equal(statSync(join(folder, 'fleet-profile-office.crt')).mode & 0o777, 0o644)
  // The file of an earlier release goes; that of the Node itself is none of a profile's.
  for (const name of ['fleet-office.crt', 'fleet-gateway.crt']) writeFileSync(join(folder, name), 'EARLIER\n')
  await store.install('office', 'NEXT\n')
  await store.install('gateway', 'OTHER\n')
  assert.deepEqual(
    readdirSync(folder).map((name) => `${name} ${readFileSync(join(folder, name), 'utf8').trim()}`),
    ['fleet-gateway.crt EARLIER', 'fleet-profile-gateway.crt OTHER', 'fleet-profile-office.crt NEXT'],
  )
  writeFileSync(updater, '#!/bin/sh\nexit 1\n')
  await assert.rejects(store.install('office', 'PEM\n'))
})
