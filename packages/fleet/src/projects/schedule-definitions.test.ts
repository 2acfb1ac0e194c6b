import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOperation, type InputOf } from '@fleet/contract'
import { addProject, fakeCall, forEachDialect, startNodesFleet } from '@fleet/testing'

type Given = Omit<InputOf<'project:schedule-definition:create'>, 'project'>

const SPEC: Given['spec'] = { calendar: 'daily', command: 'php artisan prune', timeout_seconds: 60 }
const GIVEN: Given = { name: 'nightly', environments: ['production'], spec: SPEC }

async function world(dialect?: Parameters<typeof startNodesFleet>[0]) {
  const fleet = await startNodesFleet(dialect)
  const project = (await addProject(fleet.store)).id
  const { handlers } = fleet.projects
  const call = fakeCall()
  const at = (name: string) => ({ call, input: { project, name } })
  return {
    fleet,
    call,
    project,
    create: (given: Partial<Given> = {}, id = project) =>
      handlers['project:schedule-definition:create']({ call, input: { project: id, ...GIVEN, ...given } }),
    show: async (name = 'nightly') => (await handlers['project:schedule-definition:show'](at(name))).data,
    update: async (given: Partial<Given> = {}) =>
      (
        await handlers['project:schedule-definition:update']({
          call,
          input: { project, ...GIVEN, ...given },
        })
      ).data,
    destroy: async (name = 'nightly') =>
      (await handlers['project:schedule-definition:destroy'](at(name))).data,
    list: async () => (await handlers['project:schedule-definition:list']({ call, input: { project } })).data,
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

forEachDialect(
  'a Schedule definition is stored, listed without its command, shown, replaced and removed, without an event [PRJ-077, PRJ-082]',
  async (dialect) => {
    await using at = await world(dialect)
    const { data, created } = await at.create()
    assert.equal(created, true)
    assert.match(data.id, /^[0-9a-f]{8}-[0-9a-f-]{27}$/)
    assert.deepEqual(data, { id: data.id, name: 'nightly', environments: ['production'], spec: SPEC })
    await at.create({ name: 'hourly', spec: { ...SPEC, calendar: 'hourly' } })
    const listed = await at.list()
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['hourly', 'nightly'],
    )
    assert.deepEqual(listed[1]?.spec, { calendar: 'daily', timeout_seconds: 60 })
    assert.deepEqual(await at.show(), data)
    const spec = { calendar: 'weekly', command: 'false', timeout_seconds: 1 }
    const replaced = await at.update({ environments: ['development', 'production'], spec })
    assert.deepEqual(replaced, { ...data, environments: ['development', 'production'], spec })
    assert.deepEqual(await at.show(), replaced)
    assert.deepEqual(await at.destroy(), replaced)
    assert.deepEqual(
      (await at.list()).map(({ name }) => name),
      ['hourly'],
    )
    assert.deepEqual(at.call.events, [])
  },
)

test('the same Schedule definition again is the stored one, another of its name is refused, and a Process definition may share it [PRJ-078]', async () => {
  await using at = await world()
  const first = await at.create()
  assert.deepEqual(await at.create(), { data: first.data, created: false })
  const taken = { code: 'project_definition.name_taken', status: 409 }
  await assert.rejects(at.create({ spec: { ...SPEC, timeout_seconds: 61 } }), taken)
  await assert.rejects(at.create({ environments: ['development'] }), taken)
  const other = await addProject(at.fleet.store, {
    slug: 'other',
    repository_identity: 'example.com/other',
    code: 'OTHR',
  })
  assert.equal((await at.create({}, other.id)).created, true)
  const { created } = await at.fleet.projects.handlers['project:process-definition:create']({
    call: at.call,
    input: {
      project: at.project,
      name: 'nightly',
      environments: ['production'],
      spec: { runtime: 'systemd', command: ['/bin/true'] },
    },
  })
  assert.equal(created, true)
})

test('an unknown Schedule definition or Project is refused', async () => {
  await using at = await world()
  const missing = { code: 'project_definition.not_found', status: 404 }
  await assert.rejects(at.show('none'), missing)
  await assert.rejects(at.update(), missing)
  await assert.rejects(at.destroy(), missing)
  await assert.rejects(at.create({}, 999), { code: 'project.not_found' })
})

test('a Schedule definition has a calendar, a command and a timeout, each required and bounded, and nothing else [PRJ-078, PRJ-079, PRJ-081]', () => {
  const { input } = findOperation('project:schedule-definition:create') ?? assert.fail()
  const takes = (more: object): boolean => input.safeParse({ project: 1, ...GIVEN, ...more }).success
  const takesSpec = (more: object): boolean => takes({ spec: { ...SPEC, ...more } })
  assert.ok(takes({}))
  assert.ok(takes({ name: 'a'.repeat(63), environments: ['production', 'development'] }))
  for (const name of ['', 'a'.repeat(64), 'a--b', '-a', 'a-', 'Nightly', 'a_b'])
    assert.equal(takes({ name }), false, name)
  for (const environments of [[], ['staging'], ['production', 'production'], undefined])
    assert.equal(takes({ environments }), false)
  assert.ok(takesSpec({ calendar: 'x'.repeat(255), command: 'x'.repeat(4096), timeout_seconds: 86_400 }))
  for (const more of [
    { calendar: undefined },
    { calendar: ' ' },
    { calendar: 'x'.repeat(256) },
    { calendar: 'daily\nweekly' },
    { command: undefined },
    { command: ' ' },
    { command: 'a\nb' },
    { command: 'x'.repeat(4097) },
    { timeout_seconds: undefined },
    { timeout_seconds: 0 },
    { timeout_seconds: 86_401 },
    { timeout_seconds: 1.5 },
    { start: true },
  ])
    assert.equal(takesSpec(more), false, JSON.stringify(more).slice(0, 60))
})
