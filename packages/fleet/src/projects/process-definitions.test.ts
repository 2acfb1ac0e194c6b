import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOperation, type InputOf } from '@fleet/contract'
import { addProject, fakeCall, forEachDialect, startNodesFleet, type NodesFleet } from '@fleet/testing'

type Given = Omit<InputOf<'project:process-definition:create'>, 'project'>

const SECRET = 'a-canary-of-a-definition'
const SPEC: Given['spec'] = {
  runtime: 'docker',
  command: ['serve'],
  image: 'caddy:2',
  environment: ['Z=1', `TOKEN=${SECRET}`],
  volumes: [{ source: '/a', target: '/b', read_only: true }],
  restart_policy: 'always',
}
const GIVEN: Given = { name: 'web', environments: ['production'], spec: SPEC }
const SHOWN = { ...SPEC, environment: ['TOKEN=[REDACTED]', 'Z=[REDACTED]'] }

async function world(dialect?: Parameters<typeof startNodesFleet>[0]) {
  const fleet: NodesFleet = await startNodesFleet(dialect)
  const project = (await addProject(fleet.store)).id
  const { handlers } = fleet.projects
  const call = fakeCall()
  const at = (name: string) => ({ call, input: { project, name } })
  return {
    fleet,
    call,
    project,
    create: (given: Partial<Given> = {}, id = project) =>
      handlers['project:process-definition:create']({ call, input: { project: id, ...GIVEN, ...given } }),
    show: async (name = 'web') => (await handlers['project:process-definition:show'](at(name))).data,
    update: async (given: Partial<Given> = {}) =>
      (await handlers['project:process-definition:update']({ call, input: { project, ...GIVEN, ...given } }))
        .data,
    destroy: async (name = 'web') => (await handlers['project:process-definition:destroy'](at(name))).data,
    list: async () => (await handlers['project:process-definition:list']({ call, input: { project } })).data,
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

forEachDialect(
  'a definition is stored, listed without its command, shown, replaced and removed, and its variables never leave the store [PRJ-076, PRJ-082, PRJ-087]',
  async (dialect) => {
    await using at = await world(dialect)
    const { data, created } = await at.create()
    assert.equal(created, true)
    assert.match(data.id, /^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    assert.deepEqual(data, { id: data.id, name: 'web', environments: ['production'], spec: SHOWN })
    await at.create({ name: 'cron', spec: { runtime: 'systemd', command: ['/bin/true'] } })
    const listed = await at.list()
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['cron', 'web'],
    )
    const { command: _, ...rest } = SHOWN
    assert.deepEqual(listed[1]?.spec, rest)
    assert.deepEqual(await at.show(), data)
    const spec = { runtime: 'systemd', command: ['/bin/false'] } as const
    const replaced = await at.update({
      environments: ['development', 'production'],
      spec: { ...spec, command: [...spec.command] },
    })
    assert.deepEqual(replaced, { ...data, environments: ['development', 'production'], spec })
    assert.deepEqual(await at.show(), replaced)
    const rows = await at.fleet.store.db.selectFrom('project_definitions').selectAll().execute()
    assert.equal(JSON.stringify(rows).includes(SECRET), false)
    assert.deepEqual(await at.destroy(), replaced)
    assert.deepEqual(
      (await at.list()).map(({ name }) => name),
      ['cron'],
    )
    assert.deepEqual(at.call.events, [])
  },
)

forEachDialect(
  'the same definition again is the stored one, another of its name is refused, and Projects do not share names [PRJ-078]',
  async (dialect) => {
    await using at = await world(dialect)
    const first = await at.create({ environments: ['development', 'production'] })
    const again = await at.create({
      environments: ['production', 'development'],
      spec: { ...SPEC, environment: [`TOKEN=${SECRET}`, 'Z=1'] },
    })
    assert.deepEqual(again, { data: first.data, created: false })
    const taken = { code: 'project_definition.name_taken', status: 409 }
    for (const spec of [
      { ...SPEC, environment: ['Z=1', 'TOKEN=other'] },
      { ...SPEC, keep_alive: true },
    ])
      await assert.rejects(at.create({ environments: ['development', 'production'], spec }), taken)
    await assert.rejects(at.create(), taken)
    const other = await addProject(at.fleet.store, {
      slug: 'other',
      repository_identity: 'example.com/other',
      code: 'OTHR',
    })
    assert.equal((await at.create({}, other.id)).created, true)
  },
)

test('an unknown definition or Project is refused', async () => {
  await using at = await world()
  const missing = { code: 'project_definition.not_found', status: 404 }
  await assert.rejects(at.show('none'), missing)
  await assert.rejects(at.update(), missing)
  await assert.rejects(at.destroy(), missing)
  await assert.rejects(at.create({}, 999), { code: 'project.not_found' })
})

test('definitions go with their Project [PRJ-086]', async () => {
  await using at = await world()
  await at.create()
  const { db } = at.fleet.store
  await db.deleteFrom('projects').where('id', '=', at.project).execute()
  assert.deepEqual(await db.selectFrom('project_definitions').select('id').execute(), [])
})

test('a definition names one or two environments and has neither owner, start nor account [PRJ-079, PRJ-080]', () => {
  const { input } = findOperation('project:process-definition:create') ?? assert.fail()
  const takes = (more: object): boolean => input.safeParse({ project: 1, ...GIVEN, ...more }).success
  assert.ok(takes({}))
  assert.ok(takes({ environments: ['production', 'development'] }))
  for (const environments of [[], ['staging'], ['production', 'production'], undefined])
    assert.equal(takes({ environments }), false)
  for (const more of [
    { user: 'shop' },
    { start: true },
    { target_type: 'node' },
    { runtime: undefined },
    { command: [] },
    { connections: ['shop:MAIN'], environment: ['MAIN_HOST=1'] },
    // What no Process can be would refuse each clone.
    { environment: ['A=1', 'A=2'] },
  ])
    assert.equal(takes({ spec: { ...SPEC, ...more } }), false, JSON.stringify(more))
  const unit = { runtime: 'systemd', command: ['/bin/true'] }
  assert.ok(takes({ spec: unit }))
  const programs = ['true', '/', '/bin/', '/bin/a\\b', '/bin/echo\n']
  for (const more of [
    { image: 'a' },
    { environment: ['A=1'] },
    { ports: [] },
    ...programs.map((program) => ({ command: [program] })),
  ])
    assert.equal(takes({ spec: { ...unit, ...more } }), false, JSON.stringify(more))
  assert.equal(takes({ spec: { ...SPEC, image: undefined } }), false)
})

forEachDialect('of several who remove one definition at once, one has removed it', async (dialect) => {
  await using at = await world(dialect)
  await at.create()
  const ended = await Promise.allSettled([1, 2, 3, 4].map(() => at.destroy()))
  const refused = ended.flatMap((one) => (one.status === 'rejected' ? [String(one.reason.code)] : []))
  assert.deepEqual(refused, Array(3).fill('project_definition.not_found'))
})
