import assert from 'node:assert/strict'
import { CodedError } from '@fleet/kernel'
import { endGraces, fakeCall } from '@fleet/testing'
import { Died, type Moment } from '@fleet/testing/death'
import { type Choice, type Harm, type Request, requestOf } from '#/compose/sequences/operations.test.ts'
import type { Gateway, Town } from '#/compose/sequences/town.test.ts'
import { freshView, requireAnswers, requireReleases, viewOf } from '#/compose/sequences/view.test.ts'

/** How a request ended: `done`, the code of a refusal, or what broke. */
interface Ending {
  readonly word: string
  readonly isBroken: boolean
}

/**
 * Sends the request of a choice, harmed where it says so and then once more as it was. A refusal changed nothing, and whatever else
 * happened, machines have what the records say and every active Route answers. Undefined when it could name nothing.
 */
export async function play(town: Town, choice: Choice): Promise<string | undefined> {
  const request = await requestOf(town, choice)
  if (!request) return undefined
  const before = await viewOf(town, town.machines)
  const first = choice.harm && (await harmed(town, request, choice.harm))
  const last = first && !first.isBroken ? first : await attempt(request, town.start())
  assert.ok(!last.isBroken, `${choice.kind}: ${last.word}, after ${first?.word ?? 'nothing'}`)
  if (last.word !== 'done' && !first?.isBroken)
    assert.deepEqual(await viewOf(town, town.machines), before, last.word)
  else {
    await removeFailed(town, town.start())
    await returnNodes(town, town.start())
    await finishWork(town, town.start())
    assert.deepEqual(await viewOf(town, town.machines), await freshView(town))
    await requireReleases(town)
    await requireAnswers(town)
  }
  return `${choice.kind}: ${last.word}${first?.isBroken ? `, after ${first.word}` : ''}`
}

async function attempt(request: Request, gateway: Gateway): Promise<Ending> {
  try {
    await request(gateway)
    return { word: 'done', isBroken: false }
  } catch (error) {
    if (error instanceof Died) return { word: 'death', isBroken: true }
    if (error instanceof CodedError) return { word: error.code, isBroken: error.status >= 500 }
    throw error
  }
}

async function harmed({ machines, store, start }: Town, request: Request, harm: Harm): Promise<Ending> {
  const { kind, at } = harm
  if (kind === 'before' || kind === 'after') {
    machines.disturb({ command: at, when: kind })
    const ending = await attempt(request, start())
    machines.disturb()
    return ending
  }
  const ending = await attempt(request, start(momentOf(kind, at)))
  // As the next process of the gateway does with those of the last one.
  await store.db.deleteFrom('locks').execute()
  return ending
}

function momentOf(kind: Exclude<Harm['kind'], 'before' | 'after'>, at: number): Moment {
  if (kind === 'beforeWrite') return { beforeWrite: at }
  return kind === 'beforeCommand' ? { beforeCommand: at } : { afterCommand: at }
}

/** A custom proxy or a further Route whose creation failed is destroyed before it is created again (RTE-055, RTE-058). */
async function removeFailed({ store: { db } }: Town, { domains }: Gateway): Promise<void> {
  const failed = await db.selectFrom('routes').selectAll().where('status', '=', 'failed').execute()
  for (const { id: route, kind, web_root } of failed)
    if (kind === 'custom_proxy' || web_root !== null)
      await domains.routes.handlers['route:destroy']({ call: fakeCall(), input: { route, offline: false } })
}

/** A Node that was skipped has what was left there until it is back and converges (RTE-057). */
async function returnNodes({ store: { db } }: Town, { domains }: Gateway): Promise<void> {
  const left = [
    ...(await db.selectFrom('route_residues').select('node_id').execute()),
    ...(await db.selectFrom('instance_residues').select('node_id').execute()),
  ]
  for (const id of new Set(left.map(({ node_id }) => node_id))) {
    const node = (await domains.nodes.nodes.find(id)) ?? assert.fail(`a residue of no Node: ${id}`)
    const session = domains.nodes.nodes.sessions.overTunnel(fakeCall(), node)
    await domains.firewall.firewall.onNodes.restore(session)
    for (const artifact of [domains.routes.residue, domains.instances.residue])
      assert.deepEqual(await artifact.converge(session, { force: false }), 'applied', artifact.name)
  }
}

/** What changes leave to be done once resolvers know. */
async function finishWork({ store }: Town, { domains }: Gateway): Promise<void> {
  const { db } = store
  await endGraces(store)
  const { routes, clusters, deployments } = domains
  const kinds = [...routes.workKinds, ...clusters.workKinds, ...deployments.workKinds]
  for (const due of await db.selectFrom('work').select(['id', 'kind', 'payload']).execute()) {
    const kind = kinds.find(({ name }) => name === due.kind)
    if (!kind) continue
    await kind.run(fakeCall(), kind.payload.parse(JSON.parse(due.payload)))
    await db.deleteFrom('work').where('id', '=', due.id).execute()
  }
}
