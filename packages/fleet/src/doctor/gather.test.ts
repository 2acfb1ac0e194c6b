import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { fakeCall, nodeRecord } from '@fleet/testing'
import { type Checked, gatherChecks } from '#/doctor/gather.ts'
import { part } from '#/doctor/world.test.ts'
import { driven, type FamilyChecks, stored } from '#/nodes/api.ts'

const fine = () => undefined
const of = (families: readonly FamilyChecks[], leaving: readonly number[] = []): Checked => ({
  families,
  instances: { leaving: () => Promise.resolve(new Set(leaving)) },
})

test('the resources of a family come by number, then by text, and last what has no record, by name [DRF-012]', async () => {
  const resources = [
    [null, 'b'],
    ['b', 'one'],
    [10, 'one'],
    [null, 'a'],
    [9, 'two'],
    ['a', 'two'],
    [9, 'one'],
    [Number.MAX_SAFE_INTEGER - 1, 'one'],
  ] as const
  const family = part('role', () =>
    resources.map(([id, name]) => stored('role.claim_stale', { type: 'role', id, name }, fine)),
  )
  for (const parts of [[family], [part('role', () => []), family, family]]) {
    const checks = await gatherChecks(of(parts), new Set(['role']), fakeCall(), nodeRecord())
    const found = (checks.get('role') ?? []).map(({ resource: { id, name } }) => `${id} ${name}`)
    assert.deepEqual(
      [...new Set(found)],
      [
        '9 one',
        '9 two',
        '10 one',
        `${Number.MAX_SAFE_INTEGER - 1} one`,
        'a two',
        'b one',
        'null a',
        'null b',
      ],
    )
    assert.equal(found.length, resources.length * (parts.length === 1 ? 1 : 2))
  }
})

test('checks of one resource keep the order in which they are made', async () => {
  const codes = ['role.singleton_conflict', 'role.claim_stale', 'role.packages_missing'] as const
  const resource = { type: 'role', id: 2, name: 'app-dev' }
  const parts = [part('role', () => codes.map((code) => stored(code, resource, fine)))]
  const checks = await gatherChecks(of(parts), new Set(['role']), fakeCall(), nodeRecord())
  assert.deepEqual(
    checks.get('role')?.map(({ code }) => code),
    codes,
  )
})

test('families come in the order of the report, wanted ones alone [DRF-011]', async () => {
  const parts = [part('route', () => []), part('node', () => []), part('role', () => [])]
  const checks = await gatherChecks(of(parts), new Set(['route', 'node']), fakeCall(), nodeRecord())
  assert.deepEqual([...checks.keys()], ['node', 'route'])
})

test('a part whose records are inconsistent is one check that cannot be made, anything else that fails is thrown', async () => {
  const node = nodeRecord({ name: 'web-1' })
  const checksOf = async (error: Error) => {
    const failing = part('role', () => {
      throw error
    })
    return (await gatherChecks(of([failing]), new Set(['role']), fakeCall(), node)).get('role')
  }
  const [check] = (await checksOf(fail('vpn.server_missing'))) ?? []
  assert.deepEqual([check?.code, check?.resource.name], ['role.inspection_failed', 'web-1'])
  assert.ok(check?.kind === 'stored')
  assert.deepEqual(await check.judge(), { unverifiable: 'vpn.server_missing' })
  await assert.rejects(checksOf(new Error('no database')), /no database/)
})

test('of a Node of an embedded fleet only its records are checked, of every other one its machine too', async () => {
  const node = (wireguard_ip: string | null) => nodeRecord({ wireguard_ip })
  const resource = { type: 'role', id: 1, name: 'vpn' }
  const parts = [
    part('role', () => [
      stored('role.claim_stale', resource, fine),
      driven('role.claim_stale', resource, async () => undefined),
    ]),
  ]
  const kinds = async (address: string | null) => {
    const checks = await gatherChecks(of(parts), new Set(['role']), fakeCall(), node(address))
    return checks.get('role')?.map(({ kind }) => kind)
  }
  assert.deepEqual(await kinds('127.44.0.2'), ['stored'])
  assert.deepEqual(await kinds('10.44.0.2'), ['stored', 'driven'])
  assert.deepEqual(await kinds(null), ['stored', 'driven'])
})
