import type { PublishedLeaf } from '#/certificates/certificates.ts'
import assert from 'node:assert/strict'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { chmodSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { issueLeaf } from '@fleet/pki'
import { startWorld, type World } from '#/certificates/world.test.ts'

const DIRECTORY = 'etc/fleet/certificates/route-3-router'
const FILE = `${DIRECTORY}/leaf.pem`
const leafFor = ({ user }: World, given: Partial<PublishedLeaf> = {}): PublishedLeaf => ({
  scope: 'route-3-router',
  names: ['shop.berlin'],
  addresses: ['10.44.0.4'],
  owner: user,
  reload: 'caddy.service',
  ...given,
})

test('a leaf is one file of its owner alone, signed by the root itself, with a key of its own [RTX-096, RTX-097, RTX-098]', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, root, read, at, ran } = world
  assert.equal(await certificates.publishLeaf(session, leafFor(world)), 'published')
  const text = read(FILE) ?? ''
  const certificate = new X509Certificate(text)
  assert.ok(certificate.verify(new X509Certificate(root.certificate).publicKey))
  assert.ok(certificate.checkPrivateKey(createPrivateKey(text)))
  assert.equal(text.match(/BEGIN CERTIFICATE/g)?.length, 1)
  assert.equal(certificate.subjectAltName, 'DNS:shop.berlin, IP Address:10.44.0.4')
  assert.equal(statSync(at(FILE)).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(at(DIRECTORY)), ['leaf.pem'])
  assert.deepEqual(ran(), ['systemctl try-reload-or-restart caddy.service'])
  const other = leafFor(world, { scope: 'app-instance-7' })
  await certificates.publishLeaf(session, other)
  assert.notEqual(read('etc/fleet/certificates/app-instance-7/leaf.pem')?.slice(0, 200), text.slice(0, 200))
})

test('no key stands in any argument of a command [RTX-096]', async (context) => {
  const world = await startWorld(context)
  await world.certificates.publishLeaf(world.session, leafFor(world))
  assert.ok(world.pool.executed.every((shown) => !shown.includes('PRIVATE KEY')))
})

test('a good leaf stays, for one round trip, until a sixth of its lifetime is left [RTX-100]', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, pool, clock, read, ran } = world
  await certificates.publishLeaf(session, leafFor(world))
  const first = read(FILE)
  clock.advance(74 * 86_400_000)
  assert.equal(await certificates.publishLeaf(session, leafFor(world)), 'unchanged')
  assert.deepEqual([pool.executed.length, read(FILE), ran().length], [3, first, 1])
  clock.advance(86_400_000)
  assert.equal(await certificates.publishLeaf(session, leafFor(world)), 'published')
  assert.notEqual(read(FILE), first)
  assert.equal(ran().length, 2)
})

test('many leaves are looked at and written in a few round trips, and those that are good stay', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, pool, read, ran } = world
  const leaves = Array.from({ length: 52 }, (_, index) =>
    leafFor(world, { scope: `route-${index}`, names: [`site-${index}.berlin`], isLoadedLater: true }),
  )
  const fileOf = ({ scope }: PublishedLeaf): string => `etc/fleet/certificates/${scope}/leaf.pem`
  const [first, second] = leaves
  assert.ok(first && second)
  await certificates.publishLeaf(session, leafFor(world, { scope: first.scope, names: first.names }))
  const [kept, before] = [read(fileOf(first)), pool.executed.length]
  assert.deepEqual(await certificates.publishLeaves(session, leaves), leaves.slice(1))
  assert.equal(pool.executed.length, before + 4)
  assert.equal(read(fileOf(first)), kept)
  for (const leaf of leaves) {
    const text = read(fileOf(leaf)) ?? ''
    const certificate = new X509Certificate(text)
    assert.equal(certificate.subjectAltName, `DNS:${leaf.names[0]}, IP Address:10.44.0.4`)
    assert.ok(certificate.checkPrivateKey(createPrivateKey(text)))
  }
  await certificates.confirmLoaded(session, leaves)
  rmSync(world.at(fileOf(second)))
  assert.deepEqual(await certificates.publishLeaves(session, leaves), [second])
  assert.equal(ran().length, 1)
  assert.deepEqual(await certificates.publishLeaves(session, []), [])
})

test('a folder that is a link is no place of a leaf', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, at } = world
  await certificates.publishLeaf(session, leafFor(world))
  renameSync(at(DIRECTORY), at('elsewhere'))
  symlinkSync(at('elsewhere'), at(DIRECTORY))
  assert.equal(await certificates.isLeafDue(session, leafFor(world)), true)
})

test('other names, and anything that is not as it was written, mean a new leaf', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, at } = world
  await certificates.publishLeaf(session, leafFor(world))
  const changed = leafFor(world, { names: ['shop.paris'] })
  assert.equal(await certificates.publishLeaf(session, changed), 'published')
  const harms = [
    () => chmodSync(at(FILE), 0o644),
    () => writeFileSync(at(FILE), 'cut off'),
    () => rmSync(at(FILE)),
    () => rmSync(at(DIRECTORY), { recursive: true }),
  ]
  for (const harm of harms) {
    harm()
    assert.equal(await certificates.publishLeaf(session, changed), 'published')
    assert.equal(await certificates.publishLeaf(session, changed), 'unchanged')
  }
})

test('a reload that fails is reported and tried again', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, breaks } = world
  breaks('systemctl')
  await assert.rejects(certificates.publishLeaf(session, leafFor(world)), {
    code: 'certificate.reload_failed',
  })
  breaks('systemctl', false)
  assert.equal(await certificates.publishLeaf(session, leafFor(world)), 'published')
  assert.equal(await certificates.publishLeaf(session, leafFor(world)), 'unchanged')
})

test('leaves that are loaded later reload nothing, and are due until that was confirmed', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, ran } = world
  const leaves = ['route-3', 'route-4'].map((scope) => leafFor(world, { scope, isLoadedLater: true }))
  for (const leaf of leaves) assert.equal(await certificates.publishLeaf(session, leaf), 'published')
  for (const leaf of leaves) assert.equal(await certificates.isLeafDue(session, leaf), true)
  const [kept, withdrawn] = leaves
  assert.ok(kept && withdrawn)
  await certificates.withdrawLeaf(session, withdrawn)
  await certificates.confirmLoaded(session, leaves)
  assert.equal(await certificates.publishLeaf(session, kept), 'unchanged')
  assert.equal(await certificates.isLeafDue(session, withdrawn), true)
  await certificates.confirmLoaded(session, [])
  assert.deepEqual(ran(), [])
})

test('leaves that wait for it are loaded by one reload of each reader, and one that is still being written is left to its writer', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, ran, breaks, at } = world
  const readers = ['caddy.service', 'caddy.service', 'fleet-websocket.service']
  const leaves = readers.map((reload, index) =>
    leafFor(world, { scope: `route-${index}`, reload, isLoadedLater: true }),
  )
  for (const leaf of leaves) await certificates.publishLeaf(session, leaf)
  breaks('systemctl')
  await assert.rejects(certificates.loadWaiting(session, leaves), { code: 'certificate.reload_failed' })
  breaks('systemctl', false)
  const written = at('etc/fleet/certificates/route-0/leaf.pem.fleet-new')
  writeFileSync(written, '')
  await certificates.loadWaiting(session, leaves)
  const reloads = ['caddy.service', 'fleet-websocket.service'].map(
    (unit) => `systemctl try-reload-or-restart ${unit}`,
  )
  assert.deepEqual(ran(), reloads)
  const due = async () => Promise.all(leaves.map((leaf) => certificates.isLeafDue(session, leaf)))
  assert.deepEqual(await due(), [true, false, false])
  rmSync(written)
  for (const _again of [1, 2]) await certificates.loadWaiting(session, leaves)
  assert.deepEqual(ran(), [...reloads, reloads[0]])
  assert.deepEqual(await due(), [false, false, false])
})

test('a user that the machine does not have is refused, and nothing is written', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, read } = world
  const foreign = leafFor(world, { owner: 'surely-nobody' })
  await assert.rejects(certificates.publishLeaf(session, foreign), { code: 'certificate.owner_missing' })
  assert.equal(read(FILE), undefined)
})

test('a service has its leaf where it wants it, and it goes with its directory', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, read, at } = world
  const place = { directory: '/etc/caddy/fleet-websocket-cert-current', file: 'reverb.pem' }
  const { reload: _, ...leaf } = leafFor(world, { scope: 'websocket', names: ['reverb.fleet'], place })
  await certificates.publishLeaf(session, leaf)
  assert.ok(read('etc/caddy/fleet-websocket-cert-current/reverb.pem'))
  for (const _again of [1, 2]) await certificates.withdrawLeaf(session, leaf)
  assert.deepEqual(readdirSync(at('etc/caddy')), [])
})

test('a root that cannot be read is reported before the machine is asked', async (context) => {
  const world = await startWorld(context)
  rmSync(world.caDirectory, { recursive: true })
  await assert.rejects(world.certificates.publishLeaf(world.session, leafFor(world)), {
    code: 'ca.unavailable',
  })
  assert.deepEqual(world.pool.commands, [])
})

test('a socket that serves the leaf of another domain, and by its address if clients use that, is reported [DOC-002]', async (context) => {
  const { certificates, clock, served, root } = await startWorld(context)
  const at = { address: '10.44.0.4', name: 'shop.berlin' }
  const judged = async (names: readonly string[], addresses: readonly string[], isForAddress?: true) => {
    served.set('10.44.0.4:443 shop.berlin', (await issueLeaf(root, { clock, names, addresses })).certificate)
    return (await certificates.inspectServed({ ...at, ...(isForAddress ? { isForAddress } : {}) }))?.verdict
  }
  assert.equal(await judged(['other.berlin'], [at.address]), 'other_names')
  assert.equal(await judged([at.name], []), 'good')
  assert.equal(await judged([at.name], [], true), 'other_names')
  assert.equal(await judged([at.name, 'other.berlin'], [at.address], true), 'good')
})

test('what a socket serves is judged, not what a file says', async (context) => {
  const world = await startWorld(context)
  const { certificates, session, clock, served, read } = world
  const at = { address: '10.44.0.4', name: 'shop.berlin' }
  assert.equal(await certificates.inspectServed(at), undefined)
  await certificates.publishLeaf(session, leafFor(world))
  served.set('10.44.0.4:443 shop.berlin', (read(FILE) ?? '').replace(/^[^]*END PRIVATE KEY-----\n/, ''))
  assert.equal((await certificates.inspectServed(at))?.verdict, 'good')
  clock.advance(80 * 86_400_000)
  await certificates.publishLeaf(session, leafFor(world))
  assert.equal((await certificates.inspectServed(at))?.verdict, 'due')
})
