import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientError } from '#/exit.ts'
import type { RootCertificate } from './certificate.ts'
import { type SystemStore, updateSystemStore } from './system-store.ts'

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
