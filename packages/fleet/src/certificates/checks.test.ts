import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueLeaf, renewRoot } from '@fleet/pki'
import { addNode, fakeCall, nodeRecord } from '@fleet/testing'
import { startWorld, type World } from '#/certificates/world.test.ts'

/** What Doctor says of each certificate of a Node; undefined for what is as it should be. */
async function said(
  { certificates, session, store }: World,
  id: number,
  code = 'role.certificate_mismatch',
): Promise<readonly unknown[]> {
  const node = nodeRecord({
    ...(await store.db.selectFrom('nodes').selectAll().where('id', '=', id).executeTakeFirstOrThrow()),
    activeRoles: [],
  })
  const parts = certificates.checks.filter(({ family }) => family === 'role')
  const checks = (await Promise.all(parts.map((part) => part.checksOf(fakeCall(), node)))).flat()
  return Promise.all(
    checks
      .flatMap((check) => (check.code === code ? [check] : []))
      .map(async (check) => {
        const verdict = check.kind === 'asked' ? assert.fail('it asks no Node') : await check.judge(session)
        return verdict && 'observed' in verdict ? verdict.observed : verdict
      }),
  )
}

test('Doctor reports what the gateway serves: nothing, a foreign certificate, one without its name or tunnel address, a due and an expired one [GW-002, RTX-100]', async (context) => {
  const world = await startWorld(context)
  const other = await startWorld(context)
  const { clock, root, served, store } = world
  const { id } = await addNode(store, { wireguard_ip: '10.44.0.1', roles: ['gateway'] })
  const place = '10.44.0.1:443 gateway.fleet'
  const names = { names: ['gateway.fleet'], addresses: ['10.44.0.1'] }
  assert.deepEqual(await said(world, id), ['none'])
  served.set(place, (await issueLeaf(other.root, { clock, ...names })).certificate)
  assert.deepEqual(await said(world, id), ['of another authority'])
  for (const others of [
    { ...names, names: ['shop.fleet'] },
    { ...names, addresses: ['0.0.0.0'] },
  ]) {
    served.set(place, (await issueLeaf(root, { clock, ...others })).certificate)
    assert.deepEqual(await said(world, id), ['for other names'])
  }
  served.set(place, (await issueLeaf(root, { clock, ...names })).certificate)
  assert.deepEqual(await said(world, id), [undefined])
  clock.advance(80 * 86_400_000)
  assert.deepEqual(await said(world, id), ['due for renewal'])
  clock.advance(20 * 86_400_000)
  assert.deepEqual(await said(world, id), ['expired'])
})

test('a Node that is not the gateway is not asked', async (context) => {
  const world = await startWorld(context)
  const { id } = await addNode(world.store, { roles: ['app-dev'] })
  assert.deepEqual(await said(world, id), [])
})

test('Doctor reports the end of the root from 180 days before it, at the gateway alone, until it is renewed', async (context) => {
  const world = await startWorld(context)
  const { clock, store, root, caDirectory } = world
  const { id } = await addNode(store, { roles: ['gateway'] })
  const other = await addNode(store, { name: 'web-1', roles: ['app-dev'] })
  const ending = (of = id) => said(world, of, 'role.root_ending')
  assert.deepEqual(await ending(), [undefined])
  clock.advance(root.notAfter.getTime() - clock.now().getTime() - 180 * 86_400_000 - 1)
  assert.deepEqual(await ending(), [undefined])
  clock.advance(1)
  assert.deepEqual([await ending(), await ending(other.id)], [['ends on 2036-01-02'], []])
  clock.advance(180 * 86_400_000)
  assert.deepEqual(await ending(), ['ended on 2036-01-02'])
  await renewRoot({ directory: caDirectory, clock })
  assert.deepEqual(await ending(), [undefined])
})
