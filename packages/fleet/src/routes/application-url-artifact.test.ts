import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deadline, systemClock } from '@fleet/kernel'
import { fakeCall, forEachDialect } from '@fleet/testing'
import { holding, lockOf } from '#/locks/api.ts'
import { addApp, createInstance, startWorld, update, type World } from '#/routes/world.test.ts'

const sessionOf = ({ deps, node }: World, call = fakeCall()) => deps.nodes.sessions.overTunnel(call, node)

async function worldOfTwo(dialect?: NonNullable<Parameters<typeof startWorld>[0]>['dialect']) {
  const world = await startWorld(dialect ? { dialect } : {})
  const { id: project_id } = await addApp(world)
  const { data: first } = await createInstance(world, { project_id, domain: 'old.example' })
  const { data: second } = await createInstance(world, {
    project_id,
    name: 'feature',
    domain: 'feature.example',
  })
  return { world, first, second }
}

forEachDialect(
  'a converge writes no URL of a domain that changes while it works [RTE-144]',
  async (dialect) => {
    const { world, first, second } = await worldOfTwo(dialect)
    await using _world = world
    const { applicationUrls } = world.deps
    const { write } = applicationUrls
    const written: string[] = []
    const impatient = () => fakeCall({ deadline: new Deadline(systemClock, 20, 20) })
    Object.assign(applicationUrls, {
      write: async (...[session, url]: Parameters<typeof write>) => {
        written.push(url.url)
        if (written.length > 1) return write(session, url)
        // Of this Instance it waits, of the next one it is read again.
        await assert.rejects(update(world, first.route?.id ?? 0, { domain: 'new.example' }, impatient()), {
          code: 'env.operation_busy',
        })
        await update(world, second.route?.id ?? 0, { domain: 'next.example' })
        return write(session, url)
      },
    })
    assert.equal(await world.routes.applicationUrls.converge(sessionOf(world), { force: true }), 'applied')
    assert.deepEqual(
      written.filter((url) => url.includes('feature')),
      [],
    )
    assert.deepEqual([written[0], written.at(-1)], ['https://old.example', 'https://next.example'])
  },
)

test('an Instance that somebody works on keeps its URL until the next converge, and no other one waits for it', async () => {
  const { world, first } = await worldOfTwo()
  await using _world = world
  const { applicationUrls } = world.deps
  const written: string[] = []
  const { write } = applicationUrls
  Object.assign(applicationUrls, {
    write: (...[session, url]: Parameters<typeof write>) => {
      written.push(url.url)
      return write(session, url)
    },
  })
  const lock = lockOf('instance', first.id, { busy: 'env.operation_busy' })
  await holding(world.deps.store, fakeCall(), lock, async () => {
    const result = await world.routes.applicationUrls.converge(sessionOf(world), { force: true })
    assert.equal(typeof result === 'string' ? result : result.skipped, 'env.operation_busy')
  })
  assert.deepEqual(written, ['https://feature.example'])
})
