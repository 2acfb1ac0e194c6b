import assert from 'node:assert/strict'
import { eventIdOf, type InputOf } from '@fleet/contract'
import type { DialectName } from '@fleet/store'
import {
  addInstance,
  addNode,
  addProject,
  fakeCall,
  forEachDialect,
  localPool,
  openTestStore,
  testDomains,
} from '@fleet/testing'

type Create = Omit<InputOf<'instance:deploy-step:create'>, 'instance'>
type Update = Omit<InputOf<'instance:deploy-step:update'>, 'instance' | 'step'>

/** The operations on the deploy steps of one Instance. */
async function startSteps(dialect: DialectName, environment: 'production' | 'development' = 'production') {
  const store = await openTestStore({ dialect })
  const node = await addNode(store, { roles: [environment === 'production' ? 'app-prod' : 'app-dev'] })
  const project = await addProject(store)
  const row = await addInstance(store, { project_id: project.id, node_id: node.id, environment })
  const { handlers } = testDomains({ store, ssh: localPool({ home: '/nowhere' }) }).instances
  const call = fakeCall()
  const instance = row.id
  return {
    call,
    instance,
    create: (given: Partial<Create> & { readonly name: string }) =>
      handlers['instance:deploy-step:create']({ call, input: { instance, command: 'true', ...given } }),
    update: (step: string, given: Update) =>
      handlers['instance:deploy-step:update']({ call, input: { instance, step, ...given } }),
    destroy: (step: string) => handlers['instance:deploy-step:destroy']({ call, input: { instance, step } }),
    list: async () => (await handlers['instance:deploy-step:list']({ call, input: { instance } })).data,
    names: async () =>
      (await handlers['instance:deploy-step:list']({ call, input: { instance } })).data.map(
        ({ name }) => name,
      ),
    shown: async () => (await handlers['instance:show']({ call, input: { instance } })).data,
    branch: (branch: string) => handlers['instance:update']({ call, input: { instance, branch } }),
    stored: () =>
      store.db.selectFrom('instances').selectAll().where('id', '=', instance).executeTakeFirstOrThrow(),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

forEachDialect(
  'a deploy step has its defaults, goes to the end of its phase, and is a part of its Instance [DEPL-001, DEPL-004, INS-012]',
  async (dialect) => {
    await using steps = await startSteps(dialect)
    const migrate = { name: 'migrate', phase: 'before_activation', command: 'true', timeout_seconds: 300 }
    assert.deepEqual(await steps.create({ name: 'migrate' }), { data: migrate, created: true })
    const warm = { name: 'warm', phase: 'after_activation', command: 'curl', timeout_seconds: 9 } as const
    assert.deepEqual((await steps.create(warm)).data, warm)
    const build = {
      name: 'build',
      phase: 'before_activation',
      command: 'make',
      timeout_seconds: 900,
    } as const
    await steps.create(build)
    assert.deepEqual(await steps.list(), [migrate, build, warm])
    assert.deepEqual((await steps.shown()).deploy_steps, [migrate, build, warm])
  },
)

forEachDialect('a deploy step goes beside another one of its phase alone [DEPL-002]', async (dialect) => {
  await using steps = await startSteps(dialect)
  await steps.create({ name: 'b' })
  await steps.create({ name: 'a', before: 'b' })
  await steps.create({ name: 'd', phase: 'after_activation' })
  await steps.create({ name: 'c', after: 'b' })
  assert.deepEqual(await steps.names(), ['a', 'b', 'c', 'd'])
  const both = { code: 'validation.failed', status: 422 }
  await assert.rejects(steps.create({ name: 'e', before: 'a', after: 'b' }), both)
  await assert.rejects(steps.update('a', { before: 'b', after: 'b' }), both)
  await assert.rejects(steps.update('a', { before: 'a' }), both)
  const message =
    'The step d runs in the phase after_activation. A step goes before or after one of its own phase, before_activation.'
  const unknown = { code: 'deploy_step.not_found', status: 404, message, details: { step: 'd' } }
  await assert.rejects(steps.create({ name: 'e', after: 'd' }), unknown)
  await assert.rejects(steps.update('a', { before: 'd' }), unknown)
  await assert.rejects(steps.create({ name: 'e', after: 'x' }), { message: /^The list has no step/ })
  assert.deepEqual(await steps.names(), ['a', 'b', 'c', 'd'])
})

forEachDialect(
  'an exact repeat answers the stored step, and another one of its name is refused',
  async (dialect) => {
    await using steps = await startSteps(dialect)
    await steps.create({ name: 'a' })
    await steps.create({ name: 'b' })
    assert.equal((await steps.create({ name: 'a' })).created, false)
    assert.equal((await steps.create({ name: 'a', before: 'b' })).created, false)
    for (const other of [
      { command: 'false' },
      { timeout_seconds: 8 },
      { phase: 'after_activation' },
      { after: 'b' },
    ] as const)
      await assert.rejects(steps.create({ name: 'a', ...other }), {
        code: 'deploy_step.name_taken',
        status: 409,
      })
    assert.deepEqual(
      steps.call.events.map(({ type }) => type),
      ['deploy_step.created', 'deploy_step.created'],
    )
  },
)

forEachDialect(
  'a list takes 32 steps and 3,600 seconds, both phases together [DEPL-003]',
  async (dialect) => {
    await using steps = await startSteps(dialect)
    for (let index = 1; index <= 32; index += 1)
      await steps.create({
        name: `s${index}`,
        timeout_seconds: 1,
        phase: index % 2 === 0 ? 'before_activation' : 'after_activation',
      })
    const refused = { code: 'validation.failed', status: 422 }
    await assert.rejects(steps.create({ name: 'more', timeout_seconds: 1 }), refused)
    for (const name of ['s1', 's2', 's3']) await steps.update(name, { timeout_seconds: 900 })
    await assert.rejects(steps.update('s4', { timeout_seconds: 873 }), refused)
    assert.equal((await steps.update('s4', { timeout_seconds: 872 })).data.timeout_seconds, 872)
  },
)

forEachDialect('a step changes, moves and changes its phase', async (dialect) => {
  await using steps = await startSteps(dialect)
  for (const name of ['a', 'b', 'c']) await steps.create({ name })
  await steps.update('a', { after: 'c' })
  assert.deepEqual(await steps.names(), ['b', 'c', 'a'])
  await steps.update('c', { command: 'x' })
  assert.deepEqual(await steps.names(), ['b', 'c', 'a'])
  const moved = { name: 'b', phase: 'after_activation', command: 'true', timeout_seconds: 300 }
  assert.deepEqual((await steps.update('b', { phase: 'after_activation' })).data, moved)
  assert.deepEqual(await steps.names(), ['c', 'a', 'b'])
  await assert.rejects(steps.update('a', {}), { code: 'validation.failed' })
  await assert.rejects(steps.update('x', { command: 'y' }), { code: 'deploy_step.not_found', status: 404 })
  await assert.rejects(steps.destroy('x'), { code: 'deploy_step.not_found', status: 404 })
})

forEachDialect('steps added at once are all kept', async (dialect) => {
  await using steps = await startSteps(dialect)
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => steps.create({ name })))
  assert.deepEqual((await steps.names()).toSorted(), ['a', 'b', 'c', 'd'])
})

forEachDialect(
  'added, changed and removed steps are published whole under their names, without their Instance [EV-004, EV-052, EV-053, EV-054, EV-055]',
  async (dialect) => {
    await using steps = await startSteps(dialect)
    const { data: created } = await steps.create({ name: 'a', command: 'one' })
    const { data: updated } = await steps.update('a', { command: 'two' })
    // Nothing is changed by the same values.
    assert.deepEqual((await steps.update('a', { command: 'two', timeout_seconds: 300 })).data, updated)
    const { data: removed } = await steps.destroy('a')
    assert.deepEqual(removed, updated)
    assert.deepEqual(steps.call.events, [
      { type: 'deploy_step.created', data: created },
      { type: 'deploy_step.updated', data: updated },
      { type: 'deploy_step.deleted', data: removed },
    ])
    assert.equal(eventIdOf('deploy_step.created', created), 'a')
    assert.deepEqual(Object.keys(removed), ['name', 'phase', 'command', 'timeout_seconds'])
    assert.deepEqual(await steps.names(), [])
  },
)

forEachDialect('neither the Activity nor an error has a command [DEPL-006]', async (dialect) => {
  await using steps = await startSteps(dialect)
  await steps.create({ name: 'a', command: 'echo canary' })
  await steps.update('a', { command: 'echo canary2' })
  const error = await steps.create({ name: 'a', command: 'echo canary3' }).catch((cause: unknown) => cause)
  await steps.destroy('a')
  assert.deepEqual(steps.call.notes.properties, { step: 'a' })
  assert.deepEqual(steps.call.logged, [])
  assert.ok(!JSON.stringify([error, String(error)]).includes('canary'))
})

forEachDialect(
  'a development Instance has neither deploy steps nor a deployment branch [DEPL-005, INS-027]',
  async (dialect) => {
    await using steps = await startSteps(dialect, 'development')
    const refused = { code: 'deployment_config.unavailable', status: 409 }
    await assert.rejects(steps.list(), refused)
    await assert.rejects(steps.create({ name: 'a' }), refused)
    await assert.rejects(steps.update('a', { command: 'x' }), refused)
    await assert.rejects(steps.destroy('a'), refused)
    await assert.rejects(steps.branch('next'), refused)
    assert.deepEqual(steps.call.events, [])
  },
)

forEachDialect(
  'the deployment branch changes with an event, and the source branch stays [INS-007, INS-026, EV-027]',
  async (dialect) => {
    await using steps = await startSteps(dialect)
    const { data } = await steps.branch('release/2.x')
    assert.equal(data.selected_branch, 'main')
    assert.equal((await steps.stored()).deployment_branch, 'release/2.x')
    assert.deepEqual(steps.call.events, [{ type: 'instance.updated', data: await steps.shown() }])
    await steps.branch('release/2.x')
    assert.equal(steps.call.events.length, 1)
    await assert.rejects(steps.branch('-x'), { code: 'validation.failed', status: 422 })
    await steps.branch('main')
    assert.equal((await steps.stored()).deployment_branch, 'main')
  },
)
