import assert from 'node:assert/strict'
import type { InputOf } from '@fleet/contract'
import { addProject, fakeCall, forEachDialect, startNodesFleet } from '@fleet/testing'

type Create = Omit<InputOf<'project:dev-deploy-step:create'>, 'project'>

async function startList(dialect: Parameters<typeof startNodesFleet>[0]) {
  const fleet = await startNodesFleet(dialect)
  const project = (await addProject(fleet.store)).id
  const { handlers } = fleet.projects
  const call = fakeCall()
  return {
    call,
    create: (given: Partial<Create> & { readonly name: string }) =>
      handlers['project:dev-deploy-step:create']({ call, input: { project, command: 'true', ...given } }),
    update: (step: string, given: Omit<InputOf<'project:dev-deploy-step:update'>, 'project' | 'step'>) =>
      handlers['project:dev-deploy-step:update']({ call, input: { project, step, ...given } }),
    destroy: (step: string) =>
      handlers['project:dev-deploy-step:destroy']({ call, input: { project, step } }),
    list: async () => (await handlers['project:dev-deploy-step:list']({ call, input: { project } })).data,
    setup: () => handlers['project:setup-step:list']({ call, input: { project } }),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

forEachDialect(
  'deploy steps for development are added, listed, changed, moved and removed [DEPL-007, DEPL-008]',
  async (dialect) => {
    await using steps = await startList(dialect)
    const build = { name: 'build', command: 'make', timeout_seconds: 300, required: true, position: 1 }
    assert.deepEqual(await steps.create({ name: 'build', command: 'make' }), { data: build, created: true })
    const seed = await steps.create({ name: 'seed', timeout_seconds: 900, required: false, before: 'build' })
    assert.deepEqual(seed.data, {
      name: 'seed',
      command: 'true',
      timeout_seconds: 900,
      required: false,
      position: 1,
    })
    assert.deepEqual(await steps.list(), [seed.data, { ...build, position: 2 }])
    assert.equal((await steps.create({ name: 'build', command: 'make' })).created, false)
    const other = { code: 'deploy_step.name_taken', status: 409 }
    await assert.rejects(steps.create({ name: 'build', command: 'make', required: false }), other)
    assert.equal((await steps.update('build', { required: false, before: 'seed' })).data.required, false)
    assert.equal((await steps.update('build', { command: 'make all' })).data.required, false)
    assert.deepEqual((await steps.destroy('seed')).data.position, 2)
    await assert.rejects(steps.destroy('seed'), { code: 'deploy_step.not_found', status: 404 })
    await assert.rejects(steps.create({ name: 'x', after: 'seed' }), { code: 'deploy_step.not_found' })
    await assert.rejects(steps.create({ name: 'x', before: 'build', after: 'build' }), { status: 422 })
    assert.deepEqual((await steps.setup()).data, [])
  },
)

forEachDialect('their list takes 32 steps and 3,600 seconds [DEPL-003, DEPL-008]', async (dialect) => {
  await using steps = await startList(dialect)
  for (let index = 1; index <= 4; index += 1)
    await steps.create({ name: `long-${index}`, timeout_seconds: 893 })
  for (let index = 1; index <= 28; index += 1) await steps.create({ name: `s${index}`, timeout_seconds: 1 })
  const refused = { code: 'validation.failed', status: 422 }
  await assert.rejects(steps.create({ name: 'more', timeout_seconds: 1 }), refused)
  await steps.destroy('s1')
  await assert.rejects(steps.update('s2', { timeout_seconds: 3 }), refused)
  assert.equal((await steps.update('s2', { timeout_seconds: 2 })).data.timeout_seconds, 2)
  await steps.destroy('s3')
  await steps.destroy('long-1')
  await assert.rejects(steps.create({ name: 'more', timeout_seconds: 895 }), refused)
})

forEachDialect(
  'they publish nothing, and their command is in no Activity [PRJ-087, DEPL-006]',
  async (dialect) => {
    await using steps = await startList(dialect)
    await steps.create({ name: 'a', command: 'echo canary' })
    await steps.update('a', { command: 'echo canary2' })
    await steps.destroy('a')
    assert.deepEqual(steps.call.events, [])
    assert.deepEqual(steps.call.notes.properties, { step: 'a' })
  },
)
