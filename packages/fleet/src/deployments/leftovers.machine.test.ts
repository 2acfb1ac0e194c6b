import assert from 'node:assert/strict'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ClientGone } from '#/work/api.ts'
import { startWorld, sweep, type World } from '#/deployments/world.test.ts'

/** Stands for `rm`: while the file is there, nothing is deleted below a release that is being deleted. */
const RM = `#!/bin/bash
[[ ! -e $STUCK || $PWD/$* != *.fleet-removal-* ]] || exit 1
PATH=\${PATH#*:} exec rm "$@"
`

interface Stuck extends AsyncDisposable {
  readonly world: World
  stick(): void
  loosen(): void
}

async function startStuck(): Promise<Stuck> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-stuck-'))
  const stuck = join(folder, 'stuck')
  writeFileSync(join(folder, 'rm'), RM)
  chmodSync(join(folder, 'rm'), 0o755)
  const world = await startWorld({}, { PATH: `${folder}:${process.env['PATH'] ?? ''}`, STUCK: stuck })
  return {
    world,
    stick: () => writeFileSync(stuck, ''),
    loosen: () => rmSync(stuck),
    [Symbol.asyncDispose]: async () => {
      rmSync(folder, { recursive: true })
      await world[Symbol.asyncDispose]()
    },
  }
}

const removal = (name: string): string => `.fleet-removal-${name}`

test('a release of which the deletion was cut off goes with the next deployment, also one that an older gateway left [DEPL-016]', async () => {
  await using stuck = await startStuck()
  const { world } = stuck
  for (let times = 0; times < 3; times += 1) await world.deploy()
  const [first = '', second = ''] = world.releases()
  stuck.stick()
  const cut = await world.deploy()
  assert.equal(cut.result.status, 'succeeded')
  assert.ok(cut.call.logged.some((text) => text.includes('could not be deleted')))
  assert.deepEqual(world.releases().slice(0, 2), [removal(first), second])
  const { data } = await world.domain.handlers['instance:releases']({
    call: cut.call,
    input: { instance: world.instance.id },
  })
  assert.deepEqual(data.releases, world.releases().slice(1))
  stuck.loosen()
  const below = (name: string) => join(world.home, 'releases', name)
  renameSync(below(second), below(removal('0b8ff8c0-6f3c-4d7f-8d5a-3c1c0f4b2a11')))
  mkdirSync(below(`${removal('emptied')}/.git/orbit`), { recursive: true })
  mkdirSync(below(removal('foreign')))
  writeFileSync(below(`${removal('foreign')}/file`), '')
  const next = await world.deploy()
  assert.deepEqual(
    next.call.logged.filter((text) => text.includes('deleted')),
    [],
  )
  assert.deepEqual(world.releases().slice(0, -3), [removal('foreign')])
})

test('what the deletion of a release left goes with the end of a run that nobody ended [DEPL-016]', async () => {
  await using stuck = await startStuck()
  const { world } = stuck
  await world.deploy()
  await world.steps({ name: 'bad', command: 'false' })
  stuck.stick()
  assert.equal((await world.deploy()).result.failed_step, 'before_activation')
  const { release } = await world.row()
  assert.deepEqual(world.releases()[0], removal(release ?? ''))
  stuck.loosen()
  await world.store.db.updateTable('deployments').set({ status: 'running' }).execute()
  await sweep(world)
  assert.equal(world.releases().length, 1)
})

test('a deployment that fails after the activation keeps three releases too; one that was cancelled deletes nothing [DEPL-016, DEPL-025, DEPL-027]', async () => {
  await using world = await startWorld()
  for (let times = 0; times < 3; times += 1) await world.deploy()
  await world.steps({ name: 'bad', command: 'false', phase: 'after_activation' })
  const gone = new AbortController()
  const emit = async (line: unknown) => {
    if (JSON.stringify(line).includes('"step_name":"bad"')) gone.abort(new ClientGone())
  }
  const cancelled = await world.deploy({ call: { signal: gone.signal, emit } })
  assert.deepEqual([cancelled.failure, cancelled.call.logged], ['deployment.cancelled', []])
  const kept = world.releases().slice(-2)
  assert.equal(world.releases().length, 4)
  const failed = await world.deploy()
  assert.deepEqual(
    [failed.result.failed_step, failed.phases.at(-1)],
    ['after_activation', 'after_activation/bad'],
  )
  assert.deepEqual(world.releases(), [...kept, failed.result.selected_release])
})

test("a folder of somebody's own in the releases, whatever its name, keeps nobody from deploying [DEPL-016]", async () => {
  await using world = await startWorld()
  await world.deploy()
  const [first = ''] = world.releases()
  const below = (name: string) => join(world.home, 'releases', name)
  const own = ['Älter', 'notes', 'old stuff', 'two\nlines', 'x'.repeat(200)]
  for (const name of own) mkdirSync(below(name))
  // With its receipt.
  cpSync(below(first), below(`${first} (copy)`), { recursive: true })
  const { result, call } = await world.deploy()
  assert.equal(result.status, 'succeeded')
  const { data } = await world.domain.handlers['instance:releases']({
    call,
    input: { instance: world.instance.id },
  })
  assert.deepEqual(data.releases, [first, result.selected_release])
  for (const name of [...own, `${first} (copy)`]) assert.ok(world.releases().includes(name), name)
})
