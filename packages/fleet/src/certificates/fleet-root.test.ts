import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { ensureRoot, renewRoot, RootUnavailable } from '@fleet/pki'
import { addGatewayNode, FakeClock, openTestStore } from '@fleet/testing'
import { openFleetRoot, renewFleetRoot } from '#/certificates/fleet-root.ts'

async function world(context: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'fleet-root-'))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const store = await openTestStore()
  context.after(() => store[Symbol.asyncDispose]())
  const [clock, caDirectory] = [new FakeClock(), join(home, 'ca')]
  return {
    home,
    store,
    clock,
    caDirectory,
    open: (directory = caDirectory) => openFleetRoot({ store, clock, caDirectory: directory }),
    other: () => ensureRoot({ directory: join(home, 'other'), clock, name: 'Fleet root' }),
  }
}

const refusal = (directory: string, reason: string) => (error: unknown) => {
  assert.ok(error instanceof RootUnavailable)
  assert.equal(
    error.message,
    `${reason}: put ca/root.crt and ca/root.key of a backup of this gateway into ${directory}`,
  )
  return true
}

for (const file of ['root.crt', 'root.key'])
  test(`a root whose ${file} is lost is not created again, and one that is put back is that of the fleet`, async (context) => {
    const { open, caDirectory, home } = await world(context)
    const first = await open()
    cpSync(caDirectory, join(home, 'backup'), { recursive: true })
    rmSync(join(caDirectory, file))
    const before = readdirSync(caDirectory)
    await assert.rejects(open(), refusal(caDirectory, `${join(caDirectory, file)} cannot be read`))
    assert.deepEqual(readdirSync(caDirectory), before)
    rmSync(caDirectory, { recursive: true })
    await assert.rejects(open(), refusal(caDirectory, `${join(caDirectory, 'root.crt')} cannot be read`))
    assert.equal(existsSync(caDirectory), false)
    cpSync(join(home, 'backup'), caDirectory, { recursive: true })
    assert.equal((await open()).sha256, first.sha256)
  })

test('another root in its place is refused', async (context) => {
  const { open, other, caDirectory, home } = await world(context)
  await open()
  await other()
  rmSync(caDirectory, { recursive: true })
  cpSync(join(home, 'other'), caDirectory, { recursive: true })
  await assert.rejects(
    open(),
    refusal(caDirectory, `the root certificate in ${caDirectory} is not that of this fleet`),
  )
})

test('a fleet whose release stored no fingerprint keeps its root, and creates none when it is lost', async (context) => {
  const { open, store, other, home, caDirectory } = await world(context)
  await addGatewayNode(store)
  await assert.rejects(open(), RootUnavailable)
  assert.equal(existsSync(caDirectory), false)
  const { sha256 } = await other()
  assert.equal((await open(join(home, 'other'))).sha256, sha256)
  rmSync(join(home, 'other', 'root.crt'))
  await assert.rejects(open(join(home, 'other')), RootUnavailable)
})

test('of two first starts on one database with folders of their own, the second is refused', async (context) => {
  const { open, home } = await world(context)
  const ended = await Promise.allSettled([open(), open(join(home, 'second'))])
  assert.deepEqual(ended.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
})

const factsOf = async ({ store }: Awaited<ReturnType<typeof world>>) => {
  const rows = await store.db.selectFrom('facts').select(['name', 'value']).execute()
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

test('a renewed root is that of the fleet, and the records know its fingerprint and its key', async (context) => {
  const place = await world(context)
  const { open, clock, caDirectory, store } = place
  const first = await open()
  clock.advance(3400 * 86_400_000)
  const renewed = await renewFleetRoot({ store, clock, caDirectory })
  assert.notEqual(renewed.sha256, first.sha256)
  const { root_certificate: sha256, root_key: key } = await factsOf(place)
  assert.deepEqual([sha256, key], [renewed.sha256, first.keySha256])
  assert.equal((await open()).sha256, renewed.sha256)
})

test('a renewal that was cut off at any point is finished by whoever opens the root next, or repeated', async (context) => {
  const place = await world(context)
  const { open, clock, caDirectory, store, home } = place
  const first = await open()
  cpSync(caDirectory, join(home, 'before'), { recursive: true })
  const advanced = (): void => clock.advance(3400 * 86_400_000)
  // Before the file: an earlier release knew no key, and the first thing of a renewal is to store it.
  await store.db.deleteFrom('facts').where('name', '=', 'root_key').execute()
  assert.equal((await open()).sha256, first.sha256)
  assert.equal((await factsOf(place))['root_key'], first.keySha256)
  // Between file and fact.
  advanced()
  const { sha256 } = await renewRoot({ directory: caDirectory, clock })
  assert.equal((await factsOf(place))['root_certificate'], first.sha256)
  assert.equal((await open()).sha256, sha256)
  assert.equal((await factsOf(place))['root_certificate'], sha256)
  // Repeated as a whole.
  await renewRoot({ directory: caDirectory, clock })
  const again = await renewFleetRoot({ store, clock, caDirectory })
  assert.equal((await factsOf(place))['root_certificate'], again.sha256)
  // The root of a backup before the renewal has the key of the fleet as well.
  rmSync(caDirectory, { recursive: true })
  cpSync(join(home, 'before'), caDirectory, { recursive: true })
  assert.equal((await open()).sha256, first.sha256)
})

test('after a renewal another root is refused all the same, and a lost one is not created', async (context) => {
  const { open, other, clock, caDirectory, store, home } = await world(context)
  await open()
  await renewFleetRoot({ store, clock, caDirectory })
  await other()
  rmSync(caDirectory, { recursive: true })
  await assert.rejects(open(), refusal(caDirectory, `${join(caDirectory, 'root.crt')} cannot be read`))
  cpSync(join(home, 'other'), caDirectory, { recursive: true })
  const foreign = refusal(caDirectory, `the root certificate in ${caDirectory} is not that of this fleet`)
  await assert.rejects(open(), foreign)
  await assert.rejects(renewFleetRoot({ store, clock, caDirectory }), foreign)
})
