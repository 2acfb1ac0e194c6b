import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { localSession, nodeRecord } from '@fleet/testing'
import type { PublishedLeaf } from '#/certificates/certificates.ts'
import { localLeafFile, withLocalLeaves } from '#/certificates/local-leaf.ts'
import { startWorld } from '#/certificates/world.test.ts'

const LEAF = { scope: 'route-3', names: ['shop.localhost'], addresses: [] }

test('a leaf of an embedded Node is a file of this process: made once, again when it is due, and no command runs for it', async (context) => {
  const world = await startWorld(context)
  const { clock, caDirectory, certificates, pool, root } = world
  const embedded = nodeRecord({ wireguard_ip: '127.44.0.11' })
  const reloaded: string[] = []
  const leaves = withLocalLeaves(
    certificates,
    { clock, caDirectory },
    {
      certificatesOf: (address) => (address === embedded.wireguard_ip ? world.at('web') : undefined),
      reload: async (address) => void reloaded.push(address),
    },
  )
  const session = localSession(pool, { node: embedded })
  const publish = async (leaf: PublishedLeaf) => (await leaves.publishLeaves(session, [leaf])).length
  assert.equal(await leaves.isLeafDue(session, LEAF), true)
  assert.equal(await publish(LEAF), 1)
  const file = localLeafFile(world.at('web'), LEAF.scope)
  const first = readFileSync(file, 'utf8')
  const certificate = new X509Certificate(first)
  assert.ok(certificate.verify(new X509Certificate(root.certificate).publicKey))
  assert.ok(certificate.checkPrivateKey(createPrivateKey(first)))
  assert.deepEqual([certificate.subjectAltName, statSync(file).mode & 0o777], ['DNS:shop.localhost', 0o600])
  assert.deepEqual([await publish(LEAF), reloaded], [0, []])
  clock.advance(75 * 86_400_000)
  assert.equal(await leaves.isLeafDue(session, LEAF), true)
  assert.equal(await publish({ ...LEAF, reload: 'caddy.service' }), 1)
  assert.notEqual(readFileSync(file, 'utf8'), first)
  assert.deepEqual(reloaded, [embedded.wireguard_ip])
  assert.equal(await leaves.isLeafDue(session, LEAF), false)
  const later = { ...LEAF, names: ['other.localhost'], reload: 'caddy.service', isLoadedLater: true } as const
  assert.equal(await publish(later), 1)
  await leaves.confirmLoaded(session, [])
  await leaves.loadWaiting(session, [])
  assert.equal(reloaded.length, 1)
  await leaves.loadWaiting(session, [later])
  await leaves.loadWaiting(session, [later])
  assert.equal(reloaded.length, 2)
  assert.equal(await publish({ ...later, names: ['third.localhost'] }), 1)
  // A build of another file has loaded it.
  await leaves.confirmLoaded(session, [later])
  await leaves.loadWaiting(session, [later])
  assert.equal(reloaded.length, 2)
  await leaves.withdrawLeaf(session, LEAF)
  assert.deepEqual([existsSync(file), pool.executed], [false, []])
  // A machine of its own is asked as ever.
  await leaves.publishLeaves(world.session, [{ ...LEAF, owner: world.user }])
  assert.ok(pool.executed.length > 0)
  assert.ok(existsSync(world.at('etc/fleet/certificates/route-3/leaf.pem')))
})
