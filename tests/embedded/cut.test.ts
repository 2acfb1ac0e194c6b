import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dataOf, errorOf } from './ask.ts'
import { type Gate, makeGate } from './gate.ts'
import { type EmbeddedFleet, startEmbedded, temporaryHome } from './harness.ts'
import { type Asked, interrupt, spread } from './interrupt.ts'
import {
  activityOf,
  checkoutsOn,
  moveSsh,
  NO_RESIDUE,
  residueInStore,
  shapeOf,
  sshPortOf,
} from './residue.ts'
import { layWire, type Wire } from './wire.ts'

interface Site {
  readonly fleet: EmbeddedFleet
  readonly gate: Gate
  readonly wire: Wire
  readonly nodeHome: string
}

/** A fleet whose connection to node-1 runs over a wire of the test. */
async function withSite(work: (site: Site) => Promise<void>): Promise<void> {
  using home = temporaryHome()
  using folder = temporaryHome()
  const gate = makeGate(folder.path, join(home.path, 'nodes'))
  await using fleet = await startEmbedded({ home: home.path, sample: true, env: { PATH: gate.path } })
  await using wire = await layWire('127.44.0.11', sshPortOf(home.path, 'node-1'))
  moveSsh(home.path, 'node-1', wire.port)
  await work({ fleet, gate, wire, nodeHome: join(home.path, 'nodes/node-1') })
}

/** Cuts the connection at a command of the Node, and answers the code with which the request failed. */
async function cutAt({ fleet, gate, wire }: Site, at: number, asked: Asked): Promise<string> {
  const { requestId, answer, wasHeld } = await interrupt(fleet, gate, at, asked, () => wire.cut())
  assert.ok(wasHeld, `command ${at} was reached`)
  assert.ok(answer, `command ${at} was answered`)
  const code = String(errorOf(answer)['code'])
  assert.deepEqual(activityOf(fleet.home, requestId), [`failed ${code}`])
  return code
}

const send = async (
  { fleet }: Site,
  { method, path, body }: Asked,
): Promise<Readonly<Record<string, unknown>>> => dataOf(await fleet.ask(method, path, { body }))

const creation = ({ fleet }: Site, name: string): Asked => ({
  method: 'POST',
  path: '/api/v1/instances',
  body: { project_id: 1, node_id: fleet.nodeId('node-1'), name },
})

/** Sends the request undisturbed and answers how many commands it took on the Node. */
async function counted(site: Site, asked: Asked): Promise<number> {
  site.gate.arm(Number.MAX_SAFE_INTEGER)
  await send(site, asked)
  site.gate.open()
  return site.gate.count()
}

test('a creation whose connection is cut at any stage says so, and the identical request finishes it [INS-050, INS-052]', () =>
  withSite(async (site) => {
    const shape = (name: string) => shapeOf(join(site.nodeHome, 'apps/shop', name), name)
    const commands = await counted(site, creation(site, 'whole'))
    for (const at of spread(4, commands)) {
      const name = `cut-${at}`
      assert.equal(await cutAt(site, at, creation(site, name)), 'node.connection_lost', `command ${at}`)
      assert.equal((await send(site, creation(site, name)))['status'], 'active', `command ${at}`)
      assert.deepEqual(shape(name), shape('whole'), `command ${at}`)
    }
    assert.deepEqual(residueInStore(site.fleet.home), NO_RESIDUE)
  }))

test('a removal whose connection is cut at any stage says so, and the identical request finishes it [INS-112, INS-113]', () =>
  withSite(async (site) => {
    const made = async (name: string): Promise<Asked> => {
      const { id } = await send(site, creation(site, name))
      return { method: 'DELETE', path: `/api/v1/instances/${String(id)}` }
    }
    const commands = await counted(site, await made('whole'))
    for (const at of spread(4, commands)) {
      const removal = await made(`cut-${at}`)
      const code = await cutAt(site, at, removal)
      assert.ok(['node.connection_lost', 'instance.removal_failed'].includes(code), `command ${at}: ${code}`)
      assert.equal((await send(site, removal))['status'], 'completed', `command ${at}`)
      assert.deepEqual(checkoutsOn(site.nodeHome), ['shop', 'shop/default'], `command ${at}`)
    }
    assert.deepEqual(residueInStore(site.fleet.home), NO_RESIDUE)
  }))

test('a synchronization whose connection is cut leaves the old file or the new one, and the identical request finishes it [ENV-051]', () =>
  withSite(async (site) => {
    const checkout = join(site.nodeHome, 'apps/shop/default')
    const read = (): string => readFileSync(join(checkout, '.env'), 'utf8')
    const set = (value: string) =>
      send(site, { method: 'PUT', path: '/api/v1/instances/1/environment/DEBUG', body: { value } })
    const sync: Asked = { method: 'POST', path: '/api/v1/instances/1/environment/sync', body: {} }
    await set('counted')
    const commands = await counted(site, sync)
    const shape = shapeOf(checkout, 'default')
    const codes = new Set<string>()
    for (const at of spread(4, commands)) {
      const before = read()
      const after = before.replace(/^DEBUG=.*$/m, `DEBUG="at ${at}"`)
      await set(`at ${at}`)
      codes.add(await cutAt(site, at, sync))
      assert.ok([before, after].includes(read()), `command ${at}`)
      await send(site, sync)
      assert.equal(read(), after, `command ${at}`)
      assert.deepEqual(shapeOf(checkout, 'default'), shape, `command ${at}`)
    }
    // Lost while looking, nothing was written; lost while writing, nobody knows.
    assert.deepEqual([...codes].toSorted(), ['env.sync_unconfirmed', 'node.connection_lost'])
    assert.deepEqual(residueInStore(site.fleet.home), NO_RESIDUE)
  }))
