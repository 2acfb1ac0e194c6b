import assert from 'node:assert/strict'
import type { InputOf } from '@fleet/contract'
import { addProject, fakeCall, forEachDialect, startNodesFleet, type NodesFleet } from '@fleet/testing'

const lists = ['setup', 'teardown'] as const
type List = (typeof lists)[number]
type Create = Omit<InputOf<'project:setup-step:create'>, 'project'>
type Update = Omit<InputOf<'project:setup-step:update'>, 'project' | 'step'>

/** The four operations of one list of one Project. */
async function startList(dialect: Parameters<typeof startNodesFleet>[0], list: List) {
  const fleet: NodesFleet = await startNodesFleet(dialect)
  const project = (await addProject(fleet.store)).id
  const { handlers, projects } = fleet.projects
  const call = fakeCall()
  return {
    fleet,
    call,
    project,
    create: (given: Partial<Create> & { readonly name: string }, id = project) =>
      handlers[`project:${list}-step:create`]({ call, input: { project: id, command: 'true', ...given } }),
    update: (step: string, given: Update) =>
      handlers[`project:${list}-step:update`]({ call, input: { project, step, ...given } }),
    destroy: (step: string) => handlers[`project:${list}-step:destroy`]({ call, input: { project, step } }),
    shown: async (id = project) =>
      (await handlers[`project:${list}-step:list`]({ call, input: { project: id } })).data,
    order: async () =>
      (await projects.steps(project, list)).map(({ name, position }) => `${position}:${name}`),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

for (const list of lists) {
  const title = (text: string): string => `${list} steps: ${text}`
  const short = list === 'setup' ? 'PRJ-056' : 'PRJ-057'

  forEachDialect(
    title(`a step goes to the end or beside another one [PRJ-060, PRJ-061, PRJ-064]`),
    async (dialect) => {
      await using steps = await startList(dialect, list)
      const first = await steps.create({ name: 'b' })
      assert.deepEqual(first, {
        data: { name: 'b', command: 'true', timeout_seconds: 240, position: 1 },
        created: true,
      })
      await steps.create({ name: 'd', timeout_seconds: 1 })
      assert.equal((await steps.create({ name: 'a', timeout_seconds: 1, before: 'b' })).data.position, 1)
      assert.equal((await steps.create({ name: 'c', timeout_seconds: 1, after: 'b' })).data.position, 3)
      assert.deepEqual(await steps.order(), ['1:a', '2:b', '3:c', '4:d'])
      assert.deepEqual(
        (await steps.shown()).map(({ name }) => name),
        ['a', 'b', 'c', 'd'],
      )
    },
  )

  forEachDialect(
    title('an exact repeat answers the stored step, another of the name is refused [PRJ-058]'),
    async (dialect) => {
      await using steps = await startList(dialect, list)
      await steps.create({ name: 'a', timeout_seconds: 9 })
      const { data } = await steps.create({ name: 'b', timeout_seconds: 9, before: 'a' })
      await steps.create({ name: 'c', timeout_seconds: 9 })
      for (const given of [{}, { before: 'a' }]) {
        assert.deepEqual(await steps.create({ name: 'b', timeout_seconds: 9, ...given }), {
          data,
          created: false,
        })
      }
      const others = [{ command: 'false' }, { timeout_seconds: 8 }, { after: 'a' }, { before: 'c' }]
      for (const given of others) {
        const refused = steps.create({ name: 'b', timeout_seconds: 9, ...given })
        await assert.rejects(refused, { code: 'lifecycle_step.name_taken', status: 409 })
      }
      assert.deepEqual(await steps.order(), ['1:b', '2:a', '3:c'])
    },
  )

  forEachDialect(
    title(`a step changes and moves, and the same again changes nothing [PRJ-061]`),
    async (dialect) => {
      await using steps = await startList(dialect, list)
      for (const name of ['a', 'b', 'c']) await steps.create({ name, timeout_seconds: 10 })
      const moved = { name: 'a', command: 'x', timeout_seconds: 20, position: 3 }
      for (let times = 0; times < 2; times += 1) {
        const { data } = await steps.update('a', { command: 'x', timeout_seconds: 20, after: 'c' })
        assert.deepEqual(data, moved)
        assert.deepEqual(await steps.order(), ['1:b', '2:c', '3:a'])
      }
      assert.equal((await steps.update('a', { before: 'b' })).data.position, 1)
      assert.deepEqual((await steps.shown())[0], { ...moved, position: 1 })
      assert.equal((await steps.update('b', { timeout_seconds: 5 })).data.position, 2)
    },
  )

  forEachDialect(title(`a removed step closes its gap and is gone [${short}]`), async (dialect) => {
    await using steps = await startList(dialect, list)
    for (const name of ['a', 'b', 'c']) await steps.create({ name, timeout_seconds: 10 })
    assert.deepEqual((await steps.destroy('b')).data, {
      name: 'b',
      command: 'true',
      timeout_seconds: 10,
      position: 2,
    })
    assert.deepEqual(await steps.order(), ['1:a', '2:c'])
    await assert.rejects(steps.destroy('b'), { code: 'lifecycle_step.not_found', status: 404 })
  })

  forEachDialect(title('a list takes 32 steps and 540 seconds [PRJ-062]'), async (dialect) => {
    await using steps = await startList(dialect, list)
    for (let index = 1; index <= 32; index += 1) await steps.create({ name: `s${index}`, timeout_seconds: 1 })
    await assert.rejects(steps.create({ name: 'more', timeout_seconds: 1 }), {
      code: 'validation.failed',
      status: 422,
    })
    await assert.rejects(steps.update('s1', { timeout_seconds: 510 }), {
      code: 'validation.failed',
      status: 422,
    })
    assert.equal((await steps.update('s1', { timeout_seconds: 509 })).data.timeout_seconds, 509)
    await steps.destroy('s2')
    await assert.rejects(steps.create({ name: 'more', timeout_seconds: 2 }), { code: 'validation.failed' })
  })

  forEachDialect(title('a place names one other step of the same list [PRJ-061]'), async (dialect) => {
    await using steps = await startList(dialect, list)
    await steps.create({ name: 'a', timeout_seconds: 1 })
    await steps.create({ name: 'b', timeout_seconds: 1 })
    const refused = { code: 'validation.failed', status: 422 }
    await assert.rejects(steps.create({ name: 'c', before: 'a', after: 'b' }), refused)
    await assert.rejects(steps.update('a', { before: 'b', after: 'b' }), refused)
    await assert.rejects(steps.update('a', { before: 'a' }), refused)
    await assert.rejects(steps.update('a', { after: 'a' }), refused)
    await assert.rejects(steps.update('a', {}), refused)
    const unknown = { code: 'lifecycle_step.not_found', details: { step: 'x' } }
    await assert.rejects(steps.create({ name: 'c', after: 'x' }), unknown)
    await assert.rejects(steps.update('a', { before: 'x' }), unknown)
    await assert.rejects(steps.update('x', { command: 'true' }), unknown)
    assert.deepEqual(await steps.order(), ['1:a', '2:b'])
  })

  forEachDialect(title(`an unknown Project has no list [${short}]`), async (dialect) => {
    await using steps = await startList(dialect, list)
    await assert.rejects(steps.shown(99), { code: 'project.not_found' })
    await assert.rejects(steps.create({ name: 'a' }, 99), { code: 'project.not_found' })
  })

  forEachDialect(title('steps added at once all have a place of their own [PRJ-064]'), async (dialect) => {
    await using steps = await startList(dialect, list)
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => steps.create({ name, timeout_seconds: 1 })))
    const positions = (await steps.shown()).map(({ position }) => position)
    assert.deepEqual(positions, [1, 2, 3, 4, 5])
  })

  forEachDialect(title('the Activity holds no command text [PRJ-075]'), async (dialect) => {
    await using steps = await startList(dialect, list)
    await steps.create({ name: 'a', command: 'echo canary' })
    await steps.update('a', { command: 'echo canary2' })
    await steps.destroy('a')
    assert.deepEqual(steps.call.notes.properties, { step: 'a' })
    assert.deepEqual(steps.call.logged, [])
  })
}

forEachDialect('setup and teardown are two lists: a name may stand in both [PRJ-058]', async (dialect) => {
  await using steps = await startList(dialect, 'setup')
  await steps.create({ name: 'a' })
  const input = { project: steps.project, name: 'a', command: 'false' }
  const other = await steps.fleet.projects.handlers['project:teardown-step:create']({
    call: fakeCall(),
    input,
  })
  assert.deepEqual([other.created, other.data.position], [true, 1])
  assert.equal((await steps.shown())[0]?.command, 'true')
})
