import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addInstance, addNode, addProcess, addProject, addSchedule } from '@fleet/testing'
import { doctorCodes, type DoctorCode, type DoctorFamily, doctorFamilies } from '@fleet/contract'
import { SshFailure } from '@fleet/ssh'
import { doctorWorld, part } from '#/doctor/world.test.ts'
import { asked, type Check, type FamilyChecks, nodeResource, type Question, stored } from '#/nodes/api.ts'

const question: Question<string> = {
  source: 'echo here',
  read: ({ exitCode, text }) => (exitCode === 0 ? text : undefined),
}
const codes = Object.keys(doctorCodes) as DoctorCode[] // The keys of the table.
const driftOf = (family: DoctorFamily): DoctorCode =>
  codes.find((code) => code.startsWith(`${family}.`) && doctorCodes[code].kind === 'drift') ??
  assert.fail(family)

/** As many checks in each family as its place in the report, with the verdict of the last one. */
const partsWith = (last: Awaited<ReturnType<Check['judge']>>): FamilyChecks[] =>
  doctorFamilies.map((family, at) =>
    part(family, (node) =>
      Array.from({ length: at + 1 }, (_, index) =>
        stored(driftOf(family), nodeResource(node), () => (index === at ? last : undefined)),
      ),
    ),
  )

for (const [status, verdict, ending] of [
  ['healthy', undefined, undefined],
  ['drift', { expected: 'active', observed: 'failed' }, 'drift'],
  ['unverifiable', { unverifiable: 'no answer' }, 'inspection_failed'],
] as const)
  test(`every family says ${status}, how many checks it made and what they found [DRF-008]`, async () => {
    await using world = await doctorWorld(partsWith(verdict))
    const [node] = (await world.report()).nodes
    assert.deepEqual(
      node?.families.map((family) => ({ ...family, issues: family.issues.map(({ code }) => code) })),
      doctorFamilies.map((family, at) => ({
        family,
        status,
        checked: at + 1,
        issues: ending === undefined ? [] : [ending === 'drift' ? driftOf(family) : `${family}.${ending}`],
      })),
    )
  })

test('a family that has to look at the machine counts what it could not look at as not checked [DRF-008]', async () => {
  const tool = { type: 'tool', id: 1, name: 'apt sudo' }
  await using world = await doctorWorld([
    part('tool', () => [
      stored('tool.lifecycle_not_active', tool, () => undefined),
      asked('tool.not_installed', tool, question, () => undefined),
    ]),
  ])
  const family = async () => (await world.report({ families: ['tool'] })).nodes[0]?.families[0]
  assert.deepEqual(await family(), { family: 'tool', status: 'healthy', checked: 2, issues: [] })
  world.dead.set(world.gateway.wireguard_ip ?? '', new SshFailure('unreachable', false))
  const { status, checked } = (await family()) ?? assert.fail()
  assert.deepEqual([status, checked], ['unverifiable', 1])
})

const CREATED = '2026-01-02T03:04:05.000Z'

/** A Node with a Process, a Schedule and a Tool, examined by the checks of the gateway, beside one that has the same. */
async function startWorld() {
  const world = await doctorWorld()
  const { db } = world.fleet.store
  const add = async (name: string) => {
    const node = await world.node(name)
    const owner = { node_id: node.id, name: `of-${name}`, created_at: CREATED, status: 'active' } as const
    await addProcess(
      { db },
      {
        ...owner,
      },
    )
    await addSchedule(
      { db },
      {
        ...owner,
        id: `7f3c1a52-8a4e-4b60-9a3e-${String(node.id).padStart(12, '0')}`,
      },
    )
    await db
      .insertInto('tools')
      .values({
        node_id: node.id,
        manager: 'apt',
        package: 'sudo',
        status: 'installed',
        installed_version: '1.9.13',
        created_at: CREATED,
      })
      .execute()
    return node
  }
  const [silent, other] = [await add('silent'), await add('other')]
  return {
    ...world,
    silent,
    other,
    /** Code and resource of what could not be verified, by Node and family. */
    unverified: async (family: DoctorFamily) => {
      const { nodes } = await world.report({ families: [family] })
      return Object.fromEntries(
        nodes.map((node) => [
          node.node_name,
          node.families.flatMap(({ issues }) =>
            issues
              .filter(({ kind }) => kind === 'unverifiable')
              .map(({ code, resource_type: type, resource_name: name }) => `${code} ${type} ${name}`),
          ),
        ]),
      )
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

const FAMILIES = [
  ['schedule', 'schedule of-silent'],
  ['process', 'process of-silent'],
  ['tool', 'tool apt sudo'],
  ['firewall', 'node silent'],
] as const

for (const [family, resource] of FAMILIES) {
  test(`the family ${family} says once that a Node takes no command, and continues with the others [DRF-052, DRF-054, DRF-056, DRF-058]`, async () => {
    await using world = await startWorld()
    world.dead.set(world.silent.wireguard_ip ?? '', new SshFailure('unreachable', false))
    const found = await world.unverified(family)
    assert.deepEqual(found['silent'], [`${family}.node_unreachable node silent`])
    assert.ok(found['other']?.every((issue) => !issue.includes('node_unreachable')))
    assert.ok(world.pool.executed.length > 0, 'the other Node was asked')
  })

  test(`what a Node does not answer for the family ${family} is said of each resource [DRF-052, DRF-054, DRF-056, DRF-058]`, async () => {
    await using world = await startWorld()
    world.pool.failBefore(() => true, 'timeout')
    const found = await world.unverified(family)
    assert.ok(found['silent']?.includes(`${family}.inspection_failed ${resource}`), JSON.stringify(found))
  })
}

/** Codes by family, with the number of checks of families that have any. */
async function shownOf(world: Awaited<ReturnType<typeof doctorWorld>>, nodeId: number) {
  const [node] = (await world.report({ node_id: nodeId })).nodes
  return Object.fromEntries(
    (node?.families ?? [])
      .filter(({ status }) => status !== 'not_inspected')
      .map(({ family, checked, issues }) => [family, [checked, ...issues.map(({ code }) => code)]]),
  )
}

test('a Linux Node without roles and without a pinned key has the lifecycle check alone, and nobody calls it [DRF-028]', async () => {
  await using world = await doctorWorld()
  const { store } = world.fleet
  const given = { status: 'failed', platform: 'linux', roles: [] } as const
  const stranger = await addNode(store, { ...given, ssh_host_fingerprint: null })
  assert.deepEqual(await shownOf(world, stranger.id), { node: [1, 'node.lifecycle_not_active'] })
  assert.deepEqual([world.probes, world.pool.executed], [[], []])
  const pinned = await addNode(store, given)
  assert.ok((await shownOf(world, pinned.id))['firewall'])
})

test('a Node that takes no command is reported by the families that have something there, and by no other [DRF-013]', async () => {
  await using world = await doctorWorld()
  const { store } = world.fleet
  const node = await addNode(store, { platform: 'linux', roles: [] })
  world.dead.set(node.wireguard_ip ?? '', new SshFailure('unreachable', false))
  const shown = await shownOf(world, node.id)
  assert.deepEqual(Object.keys(shown), ['node', 'firewall'])
  assert.ok(shown['node']?.includes('node.ssh_unreachable'))
  assert.deepEqual(shown['firewall']?.slice(1), ['firewall.node_unreachable'])
  await addSchedule(store, {
    id: '7f3c1a52-8a4e-4b60-9a3e-000000000001',
    node_id: node.id,
    name: 'nightly',
    created_at: CREATED,
    status: 'active',
  })
  assert.deepEqual((await shownOf(world, node.id))['schedule'], [1, 'schedule.node_unreachable'])
})

test('of an Instance that is being removed only its removal is checked [DOC-025, DOC-026]', async () => {
  await using world = await doctorWorld()
  const { store } = world.fleet
  const node = await world.node('web')
  const { id: project_id } = await addProject(store)
  const { id } = await addInstance(store, { project_id, node_id: node.id, status: 'active' })
  const of = { instance_id: id, ecosystem: 'npm' } as const
  await store.db
    .insertInto('dependency_observations')
    .values({ ...of, observed_at: CREATED, project_root: '', file_hashes: {} })
    .execute()
  await store.db
    .insertInto('dependency_attempts')
    .values({ ...of, attempted_at: CREATED, error_code: 'dependencies.invalid_npm_input' })
    .execute()
  const codes = async () => {
    const { nodes } = await world.report({ node_id: node.id, families: ['instance'] })
    return nodes[0]?.families[0]?.issues.map(({ code }) => code)
  }
  assert.ok((await codes())?.includes('instance.dependencies_stale'))
  const leave = (removal_status: 'removing' | 'failed', minutes: number) =>
    store.db
      .updateTable('instances')
      .set({
        status: 'removing',
        removal_status,
        removal_started_at: new Date(Date.now() - minutes * 60_000).toISOString(),
      })
      .execute()
  await leave('removing', 1)
  assert.deepEqual(await codes(), [])
  await leave('removing', 11)
  assert.deepEqual(await codes(), ['instance.removal_stuck'])
  await leave('failed', 1)
  assert.deepEqual(await codes(), ['instance.lifecycle_not_active'])
})
