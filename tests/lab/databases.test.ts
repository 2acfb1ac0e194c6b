import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askingSteps, diesInEach, type Sweep, victims, type Words } from './dying.ts'
import { answersAgain, onServer } from './engine-host.ts'
import {
  createServer,
  destroyServer,
  engineNode,
  ENGINES,
  type EngineWorld,
  engineWorld,
} from './engine-world.ts'
import { shareFleet } from './installed.ts'
import { onHosts } from './site.ts'
import { slowPrograms } from './slow-programs.ts'

const started = shareFleet({ name: 'own', nodes: [engineNode('own.test')] })
const withImages = engineWorld(started)

/** Containers with their state and volumes, without the ids of Processes. */
const onNode = async ({ host }: EngineWorld): Promise<readonly string[]> => {
  const list = `docker ps --all --format '{{.Names}} {{.State}}'; docker volume ls --format 'volume {{.Name}}'`
  const lines = (await host.run(['sh', '-c', list])).replaceAll(/orbit-process-\d+-/g, '')
  return lines.split('\n').filter(Boolean).toSorted()
}

const removesServer = (slug: string): Words => ['database:server:destroy', slug, '--yes']
const removesDatabase = (slug: string): Words => ['database:destroy', slug, '--yes']

for (const engine of ENGINES)
  for (const victim of victims('box'))
    test(
      `a ${victim.name} that dies in any step of a server of ${engine} and of its database, created or dropped, leaves what the identical request finishes, and nothing besides`,
      onHosts,
      async (context) => {
        const world = await withImages()
        const { fleet, host, serverWords } = world
        await using slow = await slowPrograms(host, ['docker'])
        const sweep: Sweep = { fleet, slow, victim, context }
        const slug = `${engine}-${victim.name.toLowerCase()}`
        const volume = `fleet-${slug}-data`
        const creates = serverWords(engine, slug)
        const before = await onNode(world)
        const creating = await askingSteps(fleet, creates)
        // The step around those of its Process.
        const removing = (await askingSteps(fleet, removesServer(slug))).filter((step) => step !== 'process')
        // Its data outlives it.
        const after = [...before, `volume ${volume}`].toSorted()
        assert.deepEqual(await onNode(world), after)
        assert.deepEqual([creating, removing], [['initialize', 'start'], ['unit']])
        await host.run(['docker', 'volume', 'rm', volume])
        await diesInEach(
          sweep,
          creating,
          async () => creates,
          async (request) => {
            assert.equal((await fleet.record(...request))['status'], 'active')
            const whole = [...after, `${slug} running`].toSorted()
            assert.deepEqual(await onNode(world), whole)
            await fleet.record('database:create', 'proof', `--server=${slug}`)
            await fleet.record(...removesDatabase('proof'))
            await destroyServer(fleet, slug)
            await host.run(['docker', 'volume', 'rm', volume])
            assert.deepEqual(await onNode(world), before)
          },
        )
        await diesInEach(
          sweep,
          removing,
          async () => {
            await fleet.record(...creates)
            return removesServer(slug)
          },
          async (request) => {
            await fleet.record(...request)
            assert.ok((await fleet.records('database:server:list')).every((one) => one['slug'] !== slug))
            assert.deepEqual(await onNode(world), after)
            await host.run(['docker', 'volume', 'rm', volume])
          },
        )

        const server = await createServer(world, engine, slug)
        const create = ['database:create', 'kept', `--server=${slug}`] as const
        const making = await askingSteps(fleet, create)
        const whole = await onServer(host, server)
        const dropping = await askingSteps(fleet, removesDatabase('kept'))
        assert.deepEqual([making, dropping], [['names', 'create'], ['drop']])
        assert.deepEqual([whole, await onServer(host, server)], [['database kept', 'user kept'], []])
        await diesInEach(
          sweep,
          making,
          async () => create,
          async (request) => {
            await answersAgain(host, server)
            await fleet.record(...request)
            assert.deepEqual(await onServer(host, server), whole)
            await fleet.record(...removesDatabase('kept'))
            assert.deepEqual(await onServer(host, server), [])
          },
        )
        await diesInEach(
          sweep,
          dropping,
          async () => {
            await fleet.record(...create)
            return removesDatabase('kept')
          },
          async (request) => {
            await answersAgain(host, server)
            await fleet.record(...request)
            assert.ok((await fleet.records('database:list')).every((one) => one['slug'] !== 'kept'))
            assert.deepEqual(await onServer(host, server), [])
          },
        )
        await destroyServer(fleet, slug)
        await host.run(['docker', 'volume', 'rm', volume])
        assert.deepEqual(await onNode(world), before)
      },
    )
