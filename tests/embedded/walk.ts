import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampled } from '@fleet/testing/sample'
import { dataOf } from './ask.ts'
import type { Gate } from './gate.ts'
import type { EmbeddedFleet } from './harness.ts'
import { type Asked, spread } from './interrupt.ts'
import { checkoutsOn, NO_RESIDUE, residueInStore, shapeOf } from './residue.ts'

/** A fleet with the sample Project whose commands on node-1 go through a gate. */
export interface Ground {
  /** Another one after a restart. */
  readonly fleet: EmbeddedFleet
  readonly gate: Gate
  readonly nodeHome: string
}

/** Stops a request at its command of this number, and asserts what was reported it. */
export type Stop = (at: number, asked: Asked) => Promise<void>

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
  const made = async (name: string): Promise<Asked> => {
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
  const sync: Asked = { method: 'POST', path: '/api/v1/instances/1/environment/sync', body: {} }
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

const send = async (
  { fleet }: Ground,
  { method, path, body }: Asked,
): Promise<Readonly<Record<string, unknown>>> => dataOf(await fleet.ask(method, path, { body }))

const creation = ({ fleet }: Ground, name: string): Asked => ({
  method: 'POST',
  path: '/api/v1/instances',
  body: { project_id: 1, node_id: fleet.nodeId('node-1'), name },
})

/**
 * Sends the request undisturbed, and answers numbers spread over the commands that it took on the Node: a run takes every
 * other one of them, the seed says which.
 */
async function stages(ground: Ground, asked: Asked, share = 2): Promise<readonly number[]> {
  ground.gate.arm(Number.MAX_SAFE_INTEGER)
  await send(ground, asked)
  ground.gate.open()
  return sampled(spread(STAGES, ground.gate.count()), share)
}
