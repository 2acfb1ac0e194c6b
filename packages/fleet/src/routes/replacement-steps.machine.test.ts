import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testStepList } from '@fleet/steps/testing'
import { fakeCall, KeptWorlds } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { sampled } from '@fleet/testing/sample'
import { appRoutes, findByDomain } from '#/routes/queries.ts'
import { replacementFrom } from '#/routes/replace.ts'
import { replacementLog, routeReplacement } from '#/routes/steps/replacement/list.ts'
import { routePreparation } from '#/routes/steps/replacement/preparation.ts'
import type { Replacement } from '#/routes/steps/replacement/replacement.ts'
import { giveUpLog, replacementWithdrawal } from '#/routes/steps/replacement/withdrawal.ts'
import { addApp, createInstance, startWorld, update, type World } from '#/routes/world.test.ts'

const worlds = new KeptWorlds<World>()

type Given = Replacement & { readonly world: World }

const DOMAINS = { 'a.example': 'new-a.example', 'b.example': 'new-b.example' } as const

/** Instances, whose Routes are replaced as one. */
async function shops(domains = Object.keys(DOMAINS)): Promise<World> {
  const world = await startWorld()
  worlds.keep(world)
  const project = await addApp(world)
  for (const domain of domains)
    await createInstance(world, { project_id: project.id, name: domain[0] ?? '', domain })
  return world
}

async function replacing(world: World): Promise<Given | undefined> {
  const changes = []
  for (const [from, domain] of Object.entries(DOMAINS)) {
    const old = await findByDomain(world.store.db, from)
    if (old) changes.push({ routeId: old.id, domain, publication: old.publication })
  }
  if (changes.length === 0) return undefined
  return { world, ...(await replacementFrom(world.deps, fakeCall(), changes)) }
}

async function begun(world: World): Promise<Given> {
  const given = await replacing(world)
  if (!given) throw new Error('there is nothing to replace')
  return given
}

const view = async ({ world }: Pick<Given, 'world'>) => ({
  sites: Object.fromEntries(world.machine.sites),
  leaves: Object.fromEntries(world.machine.leaves),
  pools: [...world.machine.pools].toSorted(),
  names: [...world.names].toSorted(),
  routes: (await appRoutes(world.store.db)).map(
    ({ domain, status, has_site, has_name, has_source, targets }) => [
      domain,
      status,
      [has_site, has_name, has_source],
      targets.map(({ instance_id }) => instance_id),
    ],
  ),
})

testStepList<Given>('route-replacement', {
  list: routeReplacement,
  close: ({ world }) => worlds.close(world),
  fresh: async () => begun(await shops(['a.example'])),
  view,
  log: replacementLog,
  again: ({ world }) => replacing(world),
  commitsWhole: true,
})

testStepList<Given>('route-preparation', {
  list: routePreparation,
  close: ({ world }) => worlds.close(world),
  fresh: async () => begun(await shops(['a.example'])),
  view,
  log: replacementLog,
  again: ({ world }) => replacing(world),
})

testStepList<Given>('replacement-withdrawal', {
  list: replacementWithdrawal,
  close: ({ world }) => worlds.close(world),
  fresh: async () => {
    const given = await begun(await shops(['a.example']))
    for (const step of routeReplacement.stepsFor(given)) {
      if (step.commits) break
      await step.run(given)
    }
    return begun(given.world)
  },
  view,
  log: giveUpLog,
  again: ({ world }) => replacing(world),
})

test('several Routes are replaced as one: each Node is built twice, and all wait once [RTX-043]', async () => {
  const world = await shops()
  const given = await begun(world)
  world.builds.length = 0
  world.done.length = 0
  for (const step of routeReplacement.stepsFor(given)) await step.run(given)
  assert.deepEqual([world.builds.length, world.slept], [2, [31_000]])
  assert.deepEqual(
    world.done.filter((what) => what.startsWith('names')),
    ['names a.example b.example new-a.example new-b.example', 'names new-a.example new-b.example'],
  )
})

test('one domain that is taken refuses all of them', async () => {
  const world = await shops()
  const [first, second] = (await begun(world)).changes
  if (!first || !second) throw new Error('there are two Routes')
  const before = await view({ world })
  const given = await replacementFrom(world.deps, fakeCall(), [first, { ...second, domain: first.domain }])
  const [reserve] = routeReplacement.stepsFor(given)
  await assert.rejects(reserve?.run(given) ?? Promise.resolve(), { code: 'route.domain_conflict' })
  assert.deepEqual(await view({ world }), before)
})

test('a process that dies anywhere in a change of the domain leaves what the identical request finishes, and never a name without a site [RTX-026, RTX-028, RTX-035]', async () => {
  await using first = await startWorld()
  const project = await addApp(first)
  const { data } = await createInstance(first, { project_id: project.id, domain: 'd0.example' })
  const idOf = async (domain: string): Promise<number> =>
    (await findByDomain(first.store.db, domain))?.id ?? 0
  const counted = await startWorld({ after: first })
  await update(counted, data.route?.id ?? 0, { domain: 'd1.example' })
  for (const [index, moment] of sampled(momentsOf(counted.mortal), 3).entries()) {
    const [from, domain] = [`d${index + 1}.example`, `d${index + 2}.example`]
    const route = await idOf(from)
    const dying = await startWorld({ after: first, moment })
    await assert.rejects(update(dying, route, { domain }), Died, JSON.stringify(moment))
    for (const name of first.names) assert.ok(first.machine.sites.has(name), JSON.stringify(moment))
    // Once the old Route is gone, the new one is what is left to name.
    const left = (await idOf(from)) || (await idOf(domain))
    const again = await update(first, left, { domain })
    assert.deepEqual([again.data.domain, again.data.status], [domain, 'active'], JSON.stringify(moment))
    assert.deepEqual([...first.names], [domain])
    assert.deepEqual([...first.machine.sites.keys()], [domain])
    assert.deepEqual([...first.machine.leaves], [[`app-instance-${data.id}`, domain]], JSON.stringify(moment))
    assert.equal((await appRoutes(first.store.db)).length, 1)
  }
})
