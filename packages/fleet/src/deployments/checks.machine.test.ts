import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { repairOf } from '@fleet/contract/doctor-codes'
import { script } from '@fleet/shell'
import { addDeployment, fakeCall, localSession } from '@fleet/testing'
import { startWorld, type World } from '#/deployments/world.test.ts'

/** `code: expected, observed`, with what the next step does. */
async function findings({ fleet, domain, instance }: World): Promise<readonly string[]> {
  const session = localSession(fleet.pool, { node: fleet.node })
  const found: string[] = []
  for (const check of await domain.checks.checksOf(fakeCall(), fleet.node)) {
    assert.ok(check.kind === 'asked')
    assert.deepEqual(check.resource, { type: 'instance', id: instance.id, name: 'live' })
    const { source, args = [], read } = check.question
    const { exitCode, stdout } = await session.run(script(source, ...args))
    const verdict = await check.judge(read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() }))
    if (verdict && 'observed' in verdict)
      found.push(`${check.code}: ${String(verdict.expected)}, ${String(verdict.observed)}`)
  }
  return found
}

const SELECTION = 'instance.release_selection_mismatch'
const ROOT = 'instance.selected_release_root_mismatch'
const HOME = 'instance.production_home_mismatch'

async function deployed(): Promise<World & { readonly release: string }> {
  const world = await startWorld()
  chmodSync(world.home, 0o710)
  assert.deepEqual(await findings(world), [])
  await world.deploy()
  const { selected_release: release } = await world.stored()
  assert.ok(release)
  assert.deepEqual(await findings(world), [])
  return Object.assign(world, { release })
}

test('a link that leads elsewhere, and one that is none, are found until a deployment selects anew [DRF-047]', async () => {
  await using world = await deployed()
  const { home, release } = world
  const current = join(home, 'current')
  unlinkSync(current)
  assert.deepEqual(await findings(world), [`${SELECTION}: ${release}, none`])
  symlinkSync('releases/other', current)
  assert.deepEqual(await findings(world), [`${SELECTION}: ${release}, another release`])
  await world.deploy()
  assert.deepEqual(await findings(world), [])
  unlinkSync(current)
  mkdirSync(current)
  const next = (await world.stored()).selected_release
  assert.deepEqual(await findings(world), [`${SELECTION}: ${next ?? ''}, a file or a directory`])
  rmSync(current, { recursive: true })
  await world.deploy()
  assert.deepEqual(await findings(world), [])
})

test('a link before the first deployment is one that nobody selected [DRF-047]', async () => {
  await using world = await startWorld()
  chmodSync(world.home, 0o710)
  symlinkSync('releases/', join(world.home, 'current'))
  assert.deepEqual(await findings(world), [`${SELECTION}: none, another release`])
  unlinkSync(join(world.home, 'current'))
  symlinkSync('releases/of-somebody', join(world.home, 'current'))
  assert.deepEqual(await findings(world), [`${SELECTION}: none, another release`])
})

test('a selected release that is gone, unfinished or a link is found until a deployment makes another one [DRF-047]', async () => {
  await using world = await deployed()
  const { home, release } = world
  const [at, aside] = [join(home, 'releases', release), join(home, 'aside')]
  renameSync(at, aside)
  assert.deepEqual(await findings(world), [`${ROOT}: ${release}, none`])
  symlinkSync(aside, at)
  const foreign = 'a link, a file or a directory of another user'
  assert.deepEqual(await findings(world), [`${ROOT}: ${release}, ${foreign}`])
  unlinkSync(at)
  mkdirSync(at)
  assert.deepEqual(await findings(world), [`${ROOT}: ${release}, an unfinished release`])
  rmSync(at, { recursive: true })
  await world.deploy()
  assert.deepEqual(await findings(world), [])
})

test('a home that is gone, a link, open to everybody or has releases elsewhere is found, and nothing follows from it [DRF-047]', async () => {
  await using world = await deployed()
  const { home } = world
  const aside = `${home}.aside`
  chmodSync(home, 0o711)
  assert.deepEqual(await findings(world), [`${HOME}: a home of its own, open to everybody`])
  chmodSync(home, 0o700)
  assert.deepEqual(await findings(world), [])
  renameSync(join(home, 'releases'), join(home, 'elsewhere'))
  symlinkSync('elsewhere', join(home, 'releases'))
  assert.deepEqual(await findings(world), [
    `${HOME}: a home of its own, releases that are a link or of another user`,
  ])
  renameSync(home, aside)
  assert.deepEqual(await findings(world), [`${HOME}: a home of its own, none`])
  symlinkSync(aside, home)
  assert.deepEqual(await findings(world), [
    `${HOME}: a home of its own, a link, a file or a directory of another user`,
  ])
})

test('what a deployment is just changing is no difference, nor is an Instance that is removed', async () => {
  await using world = await deployed()
  unlinkSync(join(world.home, 'current'))
  assert.equal((await findings(world)).length, 1)
  const running = await addDeployment(world.store, world.instance.id, { status: 'running' })
  assert.deepEqual(await findings(world), [])
  await world.store.db
    .updateTable('deployments')
    .set({ status: 'failed' })
    .where('id', '=', running.id)
    .execute()
  assert.equal((await findings(world)).length, 1)
  const removal = { removal_status: 'removing', removal_started_at: '2026-01-02T03:04:05.000Z' } as const
  await world.store.db.updateTable('instances').set(removal).execute()
  assert.deepEqual(await findings(world), [])
})

test('the next step of each is a command of the Instance', () => {
  const issue = { resource_id: 5, resource_name: 'live', node_id: 2, node_name: 'web' }
  const commandOf = (code: Parameters<typeof repairOf>[0]) => repairOf(code, issue).command
  assert.equal(commandOf(SELECTION), 'instance:deploy 5')
  assert.equal(commandOf(ROOT), 'instance:deploy 5')
  assert.equal(commandOf(HOME), 'instance:show 5')
})
