import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { OperationName } from '@fleet/contract'
import { momentsOf } from '@fleet/testing/death'
import { git } from '@fleet/testing/git-server'
import { sampled } from '@fleet/testing/sample'
import { requireExact } from './exact.ts'
import { askUnder, type Happening, repeated } from './faults.ts'
import { firstProject, prepare } from './repositories.ts'
import type { Request } from './requests.ts'
import { isThere, startWorld, type World } from './world.ts'
import { contentOf, fillWithWork } from './work.ts'

/** Of all moments of an operation, a run tries about so many, beginning where the seed says; a whole run tries all. */
const TRIED = 4

/** One request that something happens to. */
interface Attempt {
  readonly request: Request
  /** What holds whatever happened, before anybody repeats anything. */
  whole(): void | Promise<void>
  /** What holds once the identical request is done. */
  done(): void
  /** Makes room for the next attempt. */
  readonly end?: (() => Promise<Request>) | undefined
}

/** Makes the next attempt, by its number from 0. */
type Next = (number: number) => Promise<Attempt>

interface Fleet {
  readonly world: World
  ask(operation: OperationName, input: object): Promise<Named>
  node(at: number): number
}

interface Named {
  readonly id: number
  readonly checkout_path: string
}

const SCENARIOS: Readonly<Record<string, (fleet: Fleet) => Promise<Next>>> = {
  'an update of a Project': async ({ world, ask, node }) => {
    const made = [await instance(ask, node(0), 'default'), await instance(ask, node(1), 'one')]
    for (const { checkout_path } of made) fillWithWork(checkout_path)
    const before = made.map(({ checkout_path }) => contentOf(checkout_path))
    const whole = () =>
      assert.deepEqual(
        made.map(({ checkout_path }) => contentOf(checkout_path)),
        before,
      )
    return async (number) => {
      const [repository, root] = number % 2 === 0 ? ['shop-fork', 'web'] : ['shop', 'public']
      const input = {
        project: 1,
        repository_url: world.git.urlOf(repository),
        root,
        slug: `shop-${number % 2}`,
      }
      return { request: { operation: 'project:update', input }, whole, done: whole }
    }
  },
  'an adoption': async ({ world }) => {
    const [machine] = world.machines.all
    if (!machine) throw new Error('there is no Node')
    return async (number) => {
      const source = join(machine.home, `mine-${number}`)
      git(machine.home, ['clone', '-q', world.git.pathOf('shop'), source])
      git(source, ['remote', 'set-url', 'origin', world.git.urlOf('shop')])
      fillWithWork(source)
      const place = join(machine.apps, 'shop', `mine-${number}`)
      const before = contentOf(source)
      const whole = () => assert.deepEqual(contentOf(isThere(join(source, '.git')) ? source : place), before)
      return {
        request: {
          operation: 'instance:register',
          input: { source_path: source, project_id: 1 },
          from: machine,
        },
        whole,
        done: () => assert.deepEqual([contentOf(place), isThere(source)], [before, false]),
        end: removalOf(world, `mine-${number}`),
      }
    }
  },
  'a transfer': async ({ world, ask, node }) => {
    const moved = await instance(ask, node(0), 'one')
    fillWithWork(moved.checkout_path)
    const before = contentOf(moved.checkout_path)
    const pathOn = (at: number) => join(world.machines.all[at]?.apps ?? '', 'shop', 'one')
    return async (number) => {
      const [there, here] = number % 2 === 0 ? [1, 0] : [0, 1]
      return {
        request: { operation: 'instance:transfer', input: { instance: moved.id, node_id: node(there) } },
        whole: async () => {
          const found = [here, there].filter((at) => isThere(join(pathOn(at), '.git')))
          assert.ok(
            found.some((at) => isSame(contentOf(pathOn(at)), before)),
            'one of both is whole',
          )
          // What was taken back is served as before.
          if ((await transferOf(world, moved))?.status === 'rolled_back')
            await requireExact(world, 'taken back')
        },
        done: () => assert.deepEqual([contentOf(pathOn(there)), isThere(pathOn(here))], [before, false]),
      }
    }
  },
  'a copy': async ({ world, ask, node }) => {
    const source = await instance(ask, node(0), 'default')
    writeFileSync(join(source.checkout_path, '.env'), 'SECRET=mine\n', { mode: 0o600 })
    const before = contentOf(source.checkout_path)
    return async (number) => {
      const name = `copy-${number}`
      const input = { project_id: 1, node_id: node(0), name, source_instance_id: source.id }
      const whole = () => assert.deepEqual(contentOf(source.checkout_path), before)
      return {
        request: { operation: 'instance:create', input },
        whole,
        done: () => {
          whole()
          const copied = contentOf(join(world.machines.all[0]?.apps ?? '', 'shop', name))
          // Its values are stored for it and written anew.
          assert.deepEqual(withoutValues(copied.files), withoutValues(before.files))
        },
        end: removalOf(world, name),
      }
    }
  },
  'a clone for production': async ({ world, ask, node }) => {
    const candidate = await instance(ask, node(0), 'default')
    const before = contentOf(candidate.checkout_path)
    return async (number) => {
      const name = `live-${number}`
      const whole = () => assert.deepEqual(contentOf(candidate.checkout_path), before)
      return {
        request: {
          operation: 'instance:clone',
          input: { candidate: candidate.id, node_id: node(2), name, preview_name: name },
        },
        whole,
        done: () => {
          whole()
          const release = join(world.homeOf('shop', name), 'releases/initial')
          assert.deepEqual(contentOf(release).files, before.files)
        },
        end: removalOf(world, name),
      }
    }
  },
  'a deployment': async (fleet) => {
    const { id, whole, served } = await production(fleet)
    return async (number) => {
      fleet.world.git.commit('shop', 'main', { 'public/index.html': `page ${number}\n` })
      return {
        request: { operation: 'instance:deploy', input: { instance: id } },
        whole,
        done: () => assert.equal(served(), `page ${number}\n`),
      }
    }
  },
  'a rollback': async (fleet) => {
    const { id, whole, home } = await production(fleet)
    await fleet.ask('instance:deploy', { instance: id })
    const releases = readdirSync(join(home, 'releases')).filter((name) => name !== 'initial')
    assert.equal(releases.length, 2)
    return async (number) => {
      const release = releases[number % 2] ?? ''
      return {
        request: { operation: 'instance:rollback', input: { instance: id, release } },
        whole,
        done: () => assert.equal(readlinkSync(join(home, 'current')), `releases/${release}`),
      }
    }
  },
}

const instance = (ask: Fleet['ask'], node_id: number, name: string): Promise<Named> =>
  ask('instance:create', { project_id: 1, node_id, name, domain: `${name}.internal` })

/** A production Instance that serves a first release. */
async function production({ world, ask, node }: Fleet) {
  const candidate = await instance(ask, node(0), 'default')
  const clone = {
    candidate: candidate.id,
    node_id: node(2),
    name: 'live',
    preview_name: 'live',
    branch: 'main',
  }
  const { id } = await ask('instance:clone', clone)
  const home = world.homeOf('shop', 'live')
  await ask('instance:deploy', { instance: id })
  const served = () => readFileSync(join(home, 'current/public/index.html'), 'utf8')
  const whole = () => {
    const path = join(home, 'current')
    assert.match(served(), /^(?:shop|page \d+)\n$/)
    assert.equal(git(path, ['status', '--porcelain']), '')
  }
  return { id, home, served, whole }
}

async function transferOf({ store: { db } }: World, { id }: Named) {
  const row = await db.selectFrom('instances').select('transfer').where('id', '=', id).executeTakeFirst()
  return row?.transfer
}

/** By the name that the Instance has by then. */
const removalOf =
  ({ store: { db } }: World, name: string): Attempt['end'] =>
  async () => {
    const row = await db.selectFrom('instances').select('id').where('name', '=', name).executeTakeFirst()
    return { operation: 'instance:destroy', input: { instance: row?.id ?? 0, force: true } }
  }

const withoutValues = (files: readonly string[]): readonly string[] =>
  files.filter((file) => !file.startsWith('.env '))

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Every way in which one undisturbed request can be stopped. */
async function happeningsOf(world: World, request: Request): Promise<readonly Happening[]> {
  const gateway = world.gateway()
  if ('tick' in request) throw new Error('it is no request')
  await gateway.ask(request.operation, request.input, request.from)
  await gateway.work()
  const numbers = Array.from({ length: gateway.mortal.commands() }, (_, index) => index + 1)
  return [
    ...momentsOf(gateway.mortal).map((moment): Happening => {
      const [[kind, at] = ['none', 0]] = Object.entries(moment)
      return { kind: kind as Happening['kind'], at } // The names are those of moments.
    }),
    ...(['full', 'lost', 'away', 'broken'] as const).flatMap((kind) => numbers.map((at) => ({ kind, at }))),
  ]
}

for (const [name, begin] of Object.entries(SCENARIOS))
  test(`${name} that is stopped anywhere loses nothing, and the identical request finishes it`, async (context) => {
    await using world = await startWorld()
    prepare(world)
    const gateway = world.gateway()
    await gateway.ask('project:create', firstProject(world))
    const next = await begin({
      world,
      ask: async (operation, input) => (await gateway.ask(operation, input)) as Named, // As the contract says.
      node: (at) => world.machines.all[at]?.node.id ?? 0,
    })
    const first = await next(0)
    const all = await happeningsOf(world, first.request)
    const happenings = sampled(all, Math.max(1, Math.floor(all.length / TRIED)))
    await endOf(world, first)
    context.diagnostic(`${happenings.length} of ${all.length} moments`)
    let stopped = 0
    for (const [index, happening] of happenings.entries()) {
      const attempt = await next(index + 1)
      const outcome = await askUnder(world, attempt.request, happening)
      const told = `${JSON.stringify(happening)}: ${outcome}`
      if (outcome !== 'done') stopped += 1
      await within(told, async () => {
        await attempt.whole()
        assert.equal(await repeated(world, attempt.request), 'done')
        attempt.done()
        await endOf(world, attempt)
      })
    }
    // A full disk harms no command that only reads, and not every command needs the program that fails.
    assert.ok(stopped > 0, `${stopped} of ${happenings.length} were stopped`)
    await world.gateway().work(['deployment:find-interrupted'])
    await requireExact(world, name)
  })

async function endOf(world: World, { end }: Attempt): Promise<void> {
  if (end) assert.equal(await repeated(world, await end()), 'done')
}

async function within(told: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw new Error(told, { cause: error })
  }
}
