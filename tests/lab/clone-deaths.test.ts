import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sampled } from '@fleet/testing/sample'
import { waitFor } from '../../lab/wait.ts'
import { type CountedCommands, countedCommands } from './counted-commands.ts'
import type { Words } from './dying.ts'
import { asRoot, onServer } from './engine-host.ts'
import { addProject, databaseOf, ownOf, rowsOf, SUM } from './engine-project.ts'
import {
  createServer,
  destroyServer,
  engineNode,
  ENGINES,
  type EngineWorld,
  engineWorld,
  type Server,
} from './engine-world.ts'
import { killGateway, requireBack, struckWhen } from './gateway-deaths.ts'
import { shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'orphan', nodes: [engineNode('orphan.test')] })
const withImages = engineWorld(started)

const ROWS = 20_000
/** Of the commands of a clone, a run tries every fourth. */
const SHARE = 4

/** Containers, volumes, locks, and the files where something could be forgotten. */
const KEPT = `docker ps --all --format '{{.Names}} {{.State}}' && docker volume ls --format 'volume {{.Name}}'
find /run/fleet-processes /tmp /var/lib/fleet /etc/systemd/system -printf '%p\\n'
find /home/fleet -maxdepth 4 -not -path '*/.git/*' -printf '%p\\n'`

/** Programs of a command, on the host and inside its containers. */
const WORKING =
  "ps -eo args= | grep -E '[d]ocker container|[m]ariadb(-dump)? |[p]g_dump|[p]sql|[f]lock -w' || true"

const linesOf = async ({ host }: EngineWorld, look: string): Promise<readonly string[]> =>
  (await host.run(['sh', '-c', look])).split('\n').filter(Boolean).toSorted()

interface Cloning {
  readonly world: EngineWorld
  readonly server: Server
  readonly project: string
  readonly counted: CountedCommands
  readonly context: TestContext
}

/** Kills the gateway while the Node works on one of the commands of a request. */
async function diesIn(cloning: Cloning, command: string, words: Words): Promise<void> {
  const { world, counted, context } = cloning
  const { gateway } = world.fleet
  counted.forget()
  counted.slow(command)
  const isIn = (): boolean => counted.asked().includes(command)
  const { status, told } = await struckWhen(gateway.host, words, isIn, () => killGateway(gateway.host))
  assert.ok(isIn(), `${command} was not reached:\n${told}`)
  assert.notEqual(status, 0, command)
  await requireBack(gateway.host)
  context.diagnostic(`the gateway died in ${command.replace('\n', ' × ')}`)
}

for (const engine of ENGINES)
  test(
    `a gateway that dies in any command of a clone of ${engine} leaves the source, and what the identical request finishes although the Node still works on the command [INS-063, INS-068, DBS-049]`,
    onHosts,
    async (context) => {
      const world = await withImages()
      const { fleet, host } = world
      const server = await createServer(world, engine, `${engine}-orphan`)
      const project = await addProject(world, context, server)
      const source = databaseOf(project, 'default')
      await asRoot(host, server, rowsOf(engine, ROWS), source)
      const sum = (database: string) => asRoot(host, server, SUM, database)
      const expected = await sum(source)
      assert.match(expected.join(), new RegExp(`^${ROWS}\\b`))
      await using counted = await countedCommands(fleet, host)
      const cloning = { world, server, project, counted, context }
      const create: Words = ['instance:create', project, host.name, 'feature']
      const destroy = async (id: unknown): Promise<void> =>
        void (await fleet.record('instance:destroy', String(id), '--force', '--yes'))
      // What stays of the first one stays for all.
      await destroy((await fleet.record(...create))['id'])
      const before = { server: await onServer(host, server), node: await linesOf(world, KEPT) }
      counted.forget()
      const { id } = await fleet.record(...create)
      const commands = counted.asked()
      await destroy(id)
      assert.ok(commands.length >= 8, commands.join('\n'))
      assert.ok(commands.some((command) => command.includes('copy a database on its server')))
      for (const command of sampled(commands, SHARE)) {
        await diesIn(cloning, command, create)
        const made = await fleet.record(...create)
        assert.equal(made['status'], 'active', command)
        assert.deepEqual(await sum(databaseOf(project, 'feature')), expected, command)
        assert.deepEqual(await sum(source), expected, command)
        const whole = [...before.server, ...ownOf(project, 'feature')].toSorted()
        assert.deepEqual(await onServer(host, server), whole, command)
        // What the earlier gateway has begun is over, or will end without a word.
        const isOver = async (): Promise<true | undefined> =>
          (await linesOf(world, WORKING)).length === 0 ? true : undefined
        await waitFor(30, isOver)
        assert.deepEqual(await linesOf(world, WORKING), [], command)
        assert.deepEqual(await sum(databaseOf(project, 'feature')), expected, command)
        await destroy(made['id'])
        const after = { server: await onServer(host, server), node: await linesOf(world, KEPT) }
        assert.deepEqual(after, before, command)
      }
      for (const { id: each } of await fleet.records('instance:list')) await destroy(each)
      await destroyServer(fleet, server.slug)
    },
  )
