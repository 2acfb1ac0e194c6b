import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  failsCleanlyAtEveryStep,
  stepsAreIdempotent,
  type StepsUnderTest,
  testStepList,
} from '@fleet/steps/testing'
import { fakeCall, KeptWorlds } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { sampled } from '@fleet/testing/sample'
import { edgeLog, edgePublication, type PublicationChange } from '#/routes/edge/list.ts'
import { city, type City, isOpen, sitesOf } from '#/routes/edge/world.test.ts'
import { appRoutes, findByDomain, findRoute, updateRoute } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import { replacementFrom } from '#/routes/replace.ts'
import { type Publication, routePublication, stepLogOf } from '#/routes/steps/publication.ts'
import { replacementLog, routeReplacement } from '#/routes/steps/replacement/list.ts'
import type { Replacement } from '#/routes/steps/replacement/replacement.ts'
import { giveUpLog, replacementWithdrawal } from '#/routes/steps/replacement/withdrawal.ts'
import { routeWithdrawal, type Withdrawal, withdrawalLog } from '#/routes/steps/withdrawal.ts'
import { startWorld, update, type World } from '#/routes/world.test.ts'

const worlds = new KeptWorlds<World>()

async function begun(how: 'private' | 'public'): Promise<City> {
  const world = await startWorld()
  worlds.keep(world)
  const given = await city(world)
  if (how === 'public') await update(world, given.id, { publication: 'public' })
  return given
}

/** As `testStepList`, without a crash at every record: the deaths below are at every command and write. */
function testPublic<C>(name: string, given: StepsUnderTest<C>): void {
  test(`the list ${name} of a public Route fails cleanly at every step`, () => failsCleanlyAtEveryStep(given))
  test(`the list ${name} of a public Route may run every step twice`, () => stepsAreIdempotent(given))
}

type Given<C> = C & { readonly given: City }

/** Every Node, the names and the records. */
const view = async ({ given }: { readonly given: City }) => {
  const { world } = given
  const nodes = [world.node, given.router, given.ingress]
  return {
    sites: nodes.map((node) =>
      sitesOf(given, node)
        .map((site) => site.join(' '))
        .toSorted(),
    ),
    // Their scopes name ids, and a change that began again has another one.
    leaves: nodes.map(({ id }) => [...(world.machines.get(id)?.leaves.values() ?? [])].toSorted()),
    isOpen: isOpen(given),
    names: [...world.names].toSorted(),
    routes: (await appRoutes(world.store.db)).map(({ domain, publication, edge_step, has_site }) => [
      domain,
      publication,
      edge_step,
      has_site,
    ]),
  }
}

const changing = (given: City, isPublic: boolean): Given<PublicationChange> => ({
  given,
  deps: given.world.deps,
  call: fakeCall(),
  routeId: given.id,
  isPublic,
})

for (const isPublic of [true, false])
  testStepList<Given<PublicationChange>>('route-edge', {
    variant: isPublic ? 'opened' : 'closed',
    list: edgePublication,
    close: ({ given }) => worlds.close(given.world),
    fresh: async () => {
      const given = await begun(isPublic ? 'private' : 'public')
      const publication = isPublic ? 'public' : 'private'
      await updateRoute(given.world.store.db, given.id, { publication })
      return changing(given, isPublic)
    },
    view,
    // An active Route does not fail; that of one that is being created says where it stopped.
    log: (change) => stepLogOf(change),
    again: ({ given }) => changing(given, isPublic),
  })

test('the log of an active Route stays silent, and that of any other names the step [RTX-054]', async () => {
  const given = await begun('private')
  const { db } = given.world.store
  const change = changing(given, true)
  await edgeLog(change).record('public-site', 'failed', new Error('broken'))
  assert.equal((await findRoute(db, given.id))?.failed_step, null)
  await updateRoute(db, given.id, { status: 'activating' })
  await edgeLog(change).record('public-site', 'failed', new Error('broken'))
  assert.equal((await findRoute(db, given.id))?.failed_step, 'public-site')
})

const publishing = (given: City): Given<Publication> => {
  const { deps, node } = given.world
  const call = fakeCall()
  const session = deps.nodes.sessions.overTunnel(call, node)
  return { given, deps, call, session, routeId: given.id, isPublic: true }
}

testPublic<Given<Publication>>('route-publication', {
  list: routePublication,
  close: ({ given }) => worlds.close(given.world),
  fresh: async () => {
    const given = await begun('private')
    await updateRoute(given.world.store.db, given.id, { publication: 'public', status: 'activating' })
    return publishing(given)
  },
  view,
  log: stepLogOf,
  again: ({ given }) => publishing(given),
})

async function withdrawing(given: City): Promise<Given<Withdrawal> | undefined> {
  const [served] = await servedRows(given.world.store.db, { routeId: given.id })
  const { node } = given.world
  const { deps, call, session } = publishing(given)
  return served && { given, deps, call, session, node, served, keepsCheckout: true, ends: 'deleted' }
}

testPublic<Given<Withdrawal>>('route-withdrawal', {
  list: routeWithdrawal,
  close: ({ given }) => worlds.close(given.world),
  fresh: async () => {
    const withdrawal = await withdrawing(await begun('public'))
    if (!withdrawal) throw new Error('the Route leads nowhere')
    return withdrawal
  },
  view,
  log: withdrawalLog,
  again: ({ given }) => withdrawing(given),
})

async function replacing(given: City): Promise<Given<Replacement> | undefined> {
  const old = await findByDomain(given.world.store.db, 'shop.example')
  if (!old) return undefined
  const changes = [{ routeId: old.id, domain: 'new.example', publication: 'public' as const }]
  return { given, ...(await replacementFrom(given.world.deps, fakeCall(), changes)) }
}

async function replacement(given: City): Promise<Given<Replacement>> {
  const found = await replacing(given)
  if (!found) throw new Error('there is nothing to replace')
  return found
}

testPublic<Given<Replacement>>('route-replacement', {
  list: routeReplacement,
  close: ({ given }) => worlds.close(given.world),
  fresh: async () => replacement(await begun('public')),
  view,
  log: replacementLog,
  again: ({ given }) => replacing(given),
  commitsWhole: true,
})

testPublic<Given<Replacement>>('replacement-withdrawal', {
  list: replacementWithdrawal,
  close: ({ given }) => worlds.close(given.world),
  fresh: async () => {
    const given = await replacement(await begun('public'))
    for (const step of routeReplacement.stepsFor(given)) {
      if (step.commits) break
      await step.run(given)
    }
    return replacement(given.given)
  },
  view,
  log: giveUpLog,
  again: ({ given }) => replacing(given),
})

test('a replacement is public after private infrastructure and before the cutover, and the old domain goes from the ingress before its Router stops [RTX-034]', async () => {
  const { world, id, ingress } = await begun('public')
  world.done.length = 0
  const call = fakeCall()
  const { data } = await update(world, id, { domain: 'new.example' }, call)
  const steps = call.steps.filter((step) => step.endsWith(' done')).map((step) => step.replace(' done', ''))
  assert.deepEqual(steps.slice(steps.indexOf('private-dns'), steps.indexOf('cutover') + 1), [
    'private-dns',
    'private-paths',
    'public-activated',
    'public-site',
    'public-firewall',
    'ingress-firewall',
    'cutover',
  ])
  assert.deepEqual(
    [data.status, data.publication, data.replacement_step],
    ['active', 'public', 'ingress-firewall'],
  )
  const builds = world.done.filter((said) => said.includes('sites')).slice(-4)
  assert.deepEqual(builds, [
    'edge: sites shop.example new.example',
    'edge: sites new.example',
    'router: sites new.example',
    'sites new.example',
  ])
  assert.deepEqual(
    sitesOf({ world }, ingress).map(([place]) => place?.split(' ')[0]),
    ['new.example'],
  )
})

test('a replacement that becomes private closes the ports once the old domain is gone', async () => {
  const given = await begun('public')
  await update(given.world, given.id, { domain: 'new.example', publication: 'private' })
  assert.deepEqual([sitesOf(given, given.ingress), isOpen(given)], [[], false])
})

test('a process that dies anywhere while a Route is opened or closed leaves what the identical request finishes [RTX-023, RTX-053]', async () => {
  const given = await begun('private')
  const first = given.world
  for (const publication of ['public', 'private'] as const) {
    const other = publication === 'public' ? 'private' : 'public'
    const counted = await startWorld({ after: first })
    await update(counted, given.id, { publication })
    for (const moment of sampled(momentsOf(counted.mortal), 3)) {
      await update(first, given.id, { publication: other })
      const dying = await startWorld({ after: first, moment })
      await assert.rejects(update(dying, given.id, { publication }), Died, JSON.stringify(moment))
      await update(first, given.id, { publication })
      assert.equal(isOpen(given), publication === 'public', JSON.stringify(moment))
      assert.equal(sitesOf(given, given.ingress).length, publication === 'public' ? 1 : 0)
      assert.equal((await findRoute(first.store.db, given.id))?.status, 'active')
    }
  }
})

test('a process that dies anywhere in a change of a public domain leaves what the identical request finishes, and never a public site that leads to nothing [RTX-026, RTX-034]', async () => {
  const given = await begun('public')
  const first = given.world
  const idOf = async (domain: string): Promise<number> =>
    (await findByDomain(first.store.db, domain))?.id ?? 0
  const counted = await startWorld({ after: first })
  await update(counted, given.id, { domain: 'd1.example' })
  for (const [index, moment] of sampled(momentsOf(counted.mortal), 3).entries()) {
    const [from, domain] = [`d${index + 1}.example`, `d${index + 2}.example`]
    const dying = await startWorld({ after: first, moment })
    await assert.rejects(update(dying, await idOf(from), { domain }), Died, JSON.stringify(moment))
    const served = new Set(sitesOf(given, given.router).map(([place]) => place))
    for (const [place] of sitesOf(given, given.ingress))
      assert.ok(served.has(place?.split(' ')[0] ?? ''), JSON.stringify(moment))
    const again = await update(first, (await idOf(from)) || (await idOf(domain)), { domain })
    assert.deepEqual([again.data.domain, again.data.status], [domain, 'active'], JSON.stringify(moment))
    assert.deepEqual(
      sitesOf(given, given.ingress).map(([place]) => place?.split(' ')[0]),
      [domain],
      JSON.stringify(moment),
    )
    assert.ok(isOpen(given))
  }
})
