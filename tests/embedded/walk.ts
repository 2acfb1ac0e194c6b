import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampled } from '@fleet/testing/sample'
import { dataOf } from './ask.ts'
import type { Gate } from './gate.ts'
import type { EmbeddedFleet } from './harness.ts'
import { type SentRequest, spread } from './interrupt.ts'
import { checkoutsOn, NO_RESIDUE, residueInStore, shapeOf } from './residue.ts'

/** A fleet with the sample Project whose commands on node-1 go through a gate. */
export interface Ground {
  /** Another one after a restart. */
  readonly fleet: EmbeddedFleet
  readonly gate: Gate
  readonly nodeHome: string
}

/** Stops a request at its command of this number, and asserts what was reported to it. */
export type Stop = (at: number, asked: SentRequest) => Promise<void>

const STAGES = 4

/** Creations stopped at stages all over the work: the identical request makes each what an undisturbed one makes. */
export async function walkCreations(ground: Ground, stop: Stop): Promise<void> {
  const shape = (name: string) => shapeOf(join(ground.nodeHome, 'apps/shop', name), name)
  const names: string[] = []
  for (const at of await stages(ground, creation(ground, 'whole'))) {
    const name = `cut-${at}`
    names.push(`shop/${name}`)
    await stop(at, creation(ground, name))
    assert.equal((await send(ground, creation(ground, name)))['status'], 'active', `command ${at}`)
    assert.deepEqual(shape(name), shape('whole'), `command ${at}`)
  }
  const all = ['shop', 'shop/default', 'shop/whole', ...names]
  assert.deepEqual(checkoutsOn(ground.nodeHome), all.toSorted())
  assert.deepEqual(residueInStore(ground.fleet.home), NO_RESIDUE)
}

/** The same for removals. */
export async function walkRemovals(ground: Ground, stop: Stop): Promise<void> {
  const made = async (name: string): Promise<SentRequest> => {
    const { id } = await send(ground, creation(ground, name))
    return { method: 'DELETE', path: `/api/v1/instances/${String(id)}` }
  }
  for (const at of await stages(ground, await made('whole'))) {
    const removal = await made(`cut-${at}`)
    await stop(at, removal)
    assert.equal((await send(ground, removal))['status'], 'completed', `command ${at}`)
    assert.deepEqual(checkoutsOn(ground.nodeHome), ['shop', 'shop/default'], `command ${at}`)
  }
  assert.deepEqual(residueInStore(ground.fleet.home), NO_RESIDUE)
}

/** The same for synchronizations: until the identical request, the file is the old one or the new one. */
export async function walkSynchronizations(ground: Ground, stop: Stop): Promise<void> {
  const checkout = join(ground.nodeHome, 'apps/shop/default')
  const read = (): string => readFileSync(join(checkout, '.env'), 'utf8')
  const set = (value: string) =>
    send(ground, { method: 'PUT', path: '/api/v1/instances/1/environment/DEBUG', body: { value } })
  const sync: SentRequest = { method: 'POST', path: '/api/v1/instances/1/environment/sync', body: {} }
  await set('counted')
  // Few enough to take them all: lost while looking and lost while writing are two answers.
  const numbers = await stages(ground, sync, 1)
  const shape = shapeOf(checkout, 'default')
  for (const at of numbers) {
    const before = read()
    const after = before.replace(/^DEBUG=.*$/m, `DEBUG="at ${at}"`)
    await set(`at ${at}`)
    await stop(at, sync)
    assert.ok([before, after].includes(read()), `command ${at}`)
    await send(ground, sync)
    assert.equal(read(), after, `command ${at}`)
    assert.deepEqual(shapeOf(checkout, 'default'), shape, `command ${at}`)
  }
  assert.deepEqual(residueInStore(ground.fleet.home), NO_RESIDUE)
}

/** The same for updates of a Project: its checkout follows to another repository and another branch. */
export async function walkUpdates(ground: Ground, stop: Stop): Promise<void> {
  const checkout = join(ground.nodeHome, 'apps/shop/default')
  const repositories = join(ground.fleet.home, 'git')
  const git = (path: string, ...words: readonly string[]): string =>
    execFileSync('git', ['-C', path, ...words], { encoding: 'utf8' }).trim()
  cpSync(join(repositories, 'shop.git'), join(repositories, 'store.git'), { recursive: true })
  for (const name of ['shop.git', 'store.git']) git(join(repositories, name), 'branch', 'trunk', 'main')
  const { repository_url: shop } = await send(ground, { method: 'GET', path: '/api/v1/projects/1' })
  const store = String(shop).replace('shop.git', 'store.git')
  const bodies = [
    { repository_url: store, default_branch: 'trunk' },
    { repository_url: String(shop), default_branch: 'main' },
  ] as const
  const update = (body: (typeof bodies)[number]): SentRequest => ({
    method: 'PATCH',
    path: '/api/v1/projects/1',
    body,
  })
  const environment = readFileSync(join(checkout, '.env'), 'utf8')
  // Afterwards the checkout has both branches, and every update takes as many commands.
  for (const body of bodies) await send(ground, update(body))
  for (const [index, at] of (await stages(ground, update(bodies[0]))).entries()) {
    const body = bodies[(index + 1) % 2] ?? bodies[0]
    await stop(at, update(body))
    await send(ground, update(body))
    assert.deepEqual(
      [git(checkout, 'remote', 'get-url', 'origin'), git(checkout, 'branch', '--show-current')],
      [body.repository_url, body.default_branch],
      `command ${at}`,
    )
    assert.equal(git(checkout, 'status', '--porcelain'), '', `command ${at}`)
    assert.equal(readFileSync(join(checkout, '.env'), 'utf8'), environment, `command ${at}`)
    const shown = await send(ground, { method: 'GET', path: '/api/v1/projects/1' })
    assert.deepEqual(
      [shown['repository_url'], shown['open_update']],
      [body.repository_url, null],
      `command ${at}`,
    )
  }
}

const send = async (
  { fleet }: Ground,
  { method, path, body }: SentRequest,
): Promise<Readonly<Record<string, unknown>>> => dataOf(await fleet.ask(method, path, { body }))

const creation = ({ fleet }: Ground, name: string): SentRequest => ({
  method: 'POST',
  path: '/api/v1/instances',
  body: { project_id: 1, node_id: fleet.nodeId('node-1'), name },
})

/**
 * Sends the request undisturbed, and answers numbers spread over the commands that it took on the Node: a run takes every
 * other one of them, the seed says which.
 */
async function stages(ground: Ground, asked: SentRequest, share = 2): Promise<readonly number[]> {
  ground.gate.arm(Number.MAX_SAFE_INTEGER)
  await send(ground, asked)
  ground.gate.open()
  return sampled(spread(STAGES, ground.gate.count()), share)
}
