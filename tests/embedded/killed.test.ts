import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataOf } from './ask.ts'
import { type Gate, makeGate } from './gate.ts'
import { type EmbeddedFleet, freePort, startEmbedded, temporaryHome } from './harness.ts'
import { type Asked, interrupt, spread } from './interrupt.ts'
import { activityOf, checkoutsOn, NO_RESIDUE, residueInStore, shapeOf } from './residue.ts'

/** A fleet that is killed and started again on the same home and port. */
interface Site {
  fleet: EmbeddedFleet
  readonly gate: Gate
  readonly nodeHome: string
  restart(): Promise<void>
}

async function withSite(work: (site: Site) => Promise<void>): Promise<void> {
  using home = temporaryHome()
  using folder = temporaryHome()
  const gate = makeGate(folder.path, join(home.path, 'nodes'))
  const options = { home: home.path, port: await freePort(), sample: true, env: { PATH: gate.path } }
  const site = {
    fleet: await startEmbedded(options),
    gate,
    nodeHome: join(home.path, 'nodes/node-1'),
    restart: async () => {
      site.fleet = await startEmbedded(options)
    },
  }
  try {
    await work(site)
  } finally {
    gate.open()
    await site.fleet[Symbol.asyncDispose]()
  }
}

/**
 * Kills the gateway at a command of the Node. Odd numbers take the command down too, as when the whole machine dies;
 * even ones leave it running to its end, as when only the gateway does. False when the request needed fewer commands.
 */
async function kill(site: Site, at: number, asked: Asked): Promise<boolean> {
  const { requestId, answer, wasHeld } = await interrupt(site.fleet, site.gate, at, asked, async (group) => {
    await site.fleet.end('SIGKILL')
    if (at % 2 === 1) process.kill(-group, 'SIGKILL')
    else site.gate.open()
    await groupEnd(group)
  })
  if (!wasHeld) return false
  assert.equal(answer, undefined)
  await site.restart()
  assert.deepEqual(activityOf(site.fleet.home, requestId), ['failed activity.interrupted'])
  return true
}

async function groupEnd(group: number): Promise<void> {
  while (isRunning(group)) await sleep(10)
}

// A dead process whose parent is gone keeps its number until somebody collects it, so asking for the number is not enough.
const isRunning = (group: number): boolean =>
  spawnSync('ps', ['-eo', 'pgid=,stat='], { encoding: 'utf8' })
    .stdout.split('\n')
    .map((line) => line.trim().split(/ +/))
    .some(([of, state]) => Number(of) === group && !state?.startsWith('Z'))

const send = async (
  { fleet }: Site,
  { method, path, body }: Asked,
): Promise<Readonly<Record<string, unknown>>> => dataOf(await fleet.ask(method, path, { body }))

const creation = (site: Site, name: string): Asked => ({
  method: 'POST',
  path: '/api/v1/instances',
  body: { project_id: 1, node_id: site.fleet.nodeId('node-1'), name },
})

/** Sends the request undisturbed and answers how many commands it took on the Node. */
async function counted(site: Site, asked: Asked): Promise<number> {
  site.gate.arm(Number.MAX_SAFE_INTEGER)
  await send(site, asked)
  site.gate.open()
  return site.gate.count()
}

test('a creation killed at any stage is finished by the identical request, with nothing left over [INS-050]', () =>
  withSite(async (site) => {
    const shape = (name: string) => shapeOf(join(site.nodeHome, 'apps/shop', name), name)
    const commands = await counted(site, creation(site, 'whole'))
    const names: string[] = []
    for (const at of spread(4, commands)) {
      const name = `cut-${at}`
      names.push(`shop/${name}`)
      assert.ok(await kill(site, at, creation(site, name)), `command ${at} was reached`)
      assert.equal((await send(site, creation(site, name)))['status'], 'active', `command ${at}`)
      assert.deepEqual(shape(name), shape('whole'), `command ${at}`)
    }
    assert.deepEqual(checkoutsOn(site.nodeHome), ['shop', 'shop/default', 'shop/whole', ...names].toSorted())
    assert.deepEqual(residueInStore(site.fleet.home), NO_RESIDUE)
  }))

test('a removal killed at any stage is finished by the identical request, with nothing left over [INS-113, INS-116]', () =>
  withSite(async (site) => {
    const made = async (name: string): Promise<Asked> => {
      const { id } = await send(site, creation(site, name))
      return { method: 'DELETE', path: `/api/v1/instances/${String(id)}` }
    }
    const commands = await counted(site, await made('whole'))
    for (const at of spread(4, commands)) {
      const removal = await made(`cut-${at}`)
      assert.ok(await kill(site, at, removal), `command ${at} was reached`)
      assert.equal((await send(site, removal))['status'], 'completed', `command ${at}`)
      assert.deepEqual(checkoutsOn(site.nodeHome), ['shop', 'shop/default'], `command ${at}`)
    }
    assert.deepEqual(residueInStore(site.fleet.home), NO_RESIDUE)
  }))

test('a synchronization killed at any stage leaves the old file or the new one, and the identical request finishes it [ENV-045]', () =>
  withSite(async (site) => {
    const file = join(site.nodeHome, 'apps/shop/default/.env')
    const checkout = join(file, '..')
    const read = (): string => readFileSync(file, 'utf8')
    const set = (value: string) =>
      send(site, { method: 'PUT', path: '/api/v1/instances/1/environment/DEBUG', body: { value } })
    const sync: Asked = { method: 'POST', path: '/api/v1/instances/1/environment/sync', body: {} }
    await set('counted')
    const commands = await counted(site, sync)
    const shape = shapeOf(checkout, 'default')
    for (const at of spread(4, commands)) {
      const before = read()
      const after = before.replace(/^DEBUG=.*$/m, `DEBUG="at ${at}"`)
      await set(`at ${at}`)
      assert.ok(await kill(site, at, sync), `command ${at} was reached`)
      assert.ok([before, after].includes(read()), `command ${at}`)
      await send(site, sync)
      assert.equal(read(), after, `command ${at}`)
      assert.deepEqual(shapeOf(checkout, 'default'), shape, `command ${at}`)
    }
    assert.deepEqual(residueInStore(site.fleet.home), NO_RESIDUE)
  }))
