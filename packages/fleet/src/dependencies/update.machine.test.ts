import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { type DependencyUpdate, dependencyUpdate } from '@fleet/contract'
import { Deadline, systemClock } from '@fleet/kernel'
import type { Row } from '@fleet/store'
import { eventually, fakeCall, fakeLock, refusalOf, testDomains } from '@fleet/testing'
import { type InstancesFleet, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { COMPOSER, type Files, NPM, putFiles } from '#/dependencies/world.test.ts'
import { holding, lockOf } from '#/locks/api.ts'

interface UpdateWorld extends AsyncDisposable {
  readonly fleet: InstancesFleet
  readonly instance: Row<'instances'>
  readonly root: string
  update(call?: ReturnType<typeof fakeCall>): Promise<DependencyUpdate>
  /** What the managers were called with: name, directory, user, words. */
  ran(): readonly string[]
  program(path: string, text: string): void
}

/** A real checkout, and managers that write down how they were called before they do what the test says. */
async function startUpdate(
  files: Files,
  given: { readonly composer?: string; readonly vp?: string } = {},
): Promise<UpdateWorld> {
  const bin = mkdtempSync(join(tmpdir(), 'fleet-bin-'))
  const fleet = await startInstancesFleet({ env: { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` } })
  await fleet.store.db.updateTable('nodes').set({ user: userInfo().username }).execute()
  const { data } = await fleet.create()
  const instance = await fleet.store.db
    .selectFrom('instances')
    .selectAll()
    .where('id', '=', data.id)
    .executeTakeFirstOrThrow()
  const root = instance.checkout_path
  putFiles(root, files)
  const log = join(fleet.home, 'ran')
  const program = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    const record = `echo "\${0##*/} $(pwd) $(id -un) $*" >>'${log}'`
    writeFileSync(
      path,
      `#!/bin/sh\nif [ "$1" = --version ]; then echo "vp v\${VP:-0.3.0}"; exit 0; fi\n${record}\n${text}\n`,
    )
    chmodSync(path, 0o755)
  }
  program(join(bin, 'composer'), given.composer ?? 'true')
  program(join(fleet.home, '.vite-plus/bin/vp'), given.vp ?? 'true')
  const domain = testDomains({ store: fleet.store, ssh: fleet.pool }).dependencies
  return {
    fleet,
    instance,
    root,
    program,
    update: async (call = fakeCall()) => {
      const input = { instance: instance.id }
      const { data: answer } = await domain.handlers['instance:dependencies:update']({ call, input })
      return dependencyUpdate.parse(answer)
    },
    ran: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []),
    [Symbol.asyncDispose]: async () => {
      await fleet[Symbol.asyncDispose]()
      rmSync(bin, { recursive: true, force: true })
    },
  }
}

const step = (
  ecosystem: string,
  status: string,
  may_have_mutated: boolean,
  error_code: string | null = null,
) => ({
  ecosystem,
  status,
  may_have_mutated,
  error_code,
})

const COMPOSER_WORDS = 'update --no-interaction --no-ansi --no-progress --no-audit'

test('an update runs Composer, then Vite+, in the directory and as the user of the checkout, and scans what they left [DEP-001, DEP-034, DEP-058, DEP-059, DEP-062, DEP-071, DEX-007, DEX-008]', async () => {
  await using world = await startUpdate(
    { ...NPM, ...COMPOSER },
    { composer: "sed -i 's/v1.4.0/v1.5.0/' composer.lock", vp: "sed -i 's/1.0.5/1.0.6/' package-lock.json" },
  )
  const manifests = () =>
    ['composer.json', 'package.json'].map((name) => readFileSync(join(world.root, name), 'utf8'))
  const before = manifests()
  const { inventory, ...rest } = await world.update()
  assert.deepEqual(rest, {
    instance_id: world.instance.id,
    succeeded: true,
    error_code: null,
    may_have_mutated: true,
    composer: step('composer', 'succeeded', true),
    javascript: step('npm', 'succeeded', true),
  })
  const user = userInfo().username
  assert.deepEqual(world.ran(), [
    `composer ${world.root} ${user} ${COMPOSER_WORDS}`,
    `vp ${world.root} ${user} update --no-save`,
  ])
  const versions = (graph: { resolutions: ReadonlyArray<{ version: string }> } | null | undefined) =>
    graph?.resolutions.map(({ version }) => version)
  assert.deepEqual(versions(inventory?.composer.snapshot?.graph), ['v1.5.0'])
  assert.deepEqual(versions(inventory?.javascript.snapshot?.graph), ['1.2.0', '1.0.6', '2.0.0'])
  assert.deepEqual(manifests(), before)
})

const BUN: Files = {
  'package.json': { dependencies: { a: '1' } },
  'bun.lock': {
    lockfileVersion: 1,
    workspaces: { '': { dependencies: { a: '1' } } },
    packages: { a: ['a@1.0.0', '', {}, 'sha512-a'] },
  },
}

test('a framework Instance is updated in its application directory, and Bun gets the words that keep its text lock [DEP-060, DEP-062]', async () => {
  await using world = await startUpdate({})
  putFiles(join(world.root, 'apps/site'), BUN)
  const profile = { application_directory: 'apps/site', framework: 'laravel', php: true } as const
  await world.fleet.store.db.updateTable('instances').set({ profile }).execute()
  const { succeeded, composer, javascript } = await world.update()
  assert.deepEqual(
    [succeeded, composer, javascript.status],
    [true, step('composer', 'absent', false), 'succeeded'],
  )
  assert.deepEqual(world.ran(), [
    `vp ${join(world.root, 'apps/site')} ${userInfo().username} update --no-save -- --lockfile-only --save-text-lockfile`,
  ])
})

test('a failed step stops the later one, claims no rollback, and is scanned all the same [DEP-037, DEP-061, DEP-065, DEP-066]', async () => {
  await using world = await startUpdate(
    { ...NPM, ...COMPOSER },
    { composer: "sed -i 's/v1.4.0/v1.4.1/' composer.lock; exit 2" },
  )
  const { inventory, ...rest } = await world.update()
  assert.deepEqual(rest, {
    instance_id: world.instance.id,
    succeeded: false,
    error_code: 'dependencies.update_failed',
    may_have_mutated: true,
    composer: step('composer', 'failed', true, 'dependencies.update_failed'),
    javascript: step('npm', 'not_run', false),
  })
  assert.equal(inventory?.composer.snapshot?.graph?.resolutions[0]?.version, 'v1.4.1')
  assert.equal(world.ran().length, 1)
})

test('a cancelled step is scanned all the same [DEP-061]', async () => {
  await using world = await startUpdate(
    { ...NPM, ...COMPOSER },
    { composer: "sed -i 's/v1.4.0/v1.4.1/' composer.lock; touch begun; sleep 300" },
  )
  const ending = new AbortController()
  const updating = world.update(fakeCall({ signal: ending.signal }))
  await eventually(() => existsSync(join(world.root, 'begun')))
  ending.abort()
  const { composer, javascript, inventory } = await updating
  assert.deepEqual(composer, step('composer', 'failed', true, 'dependencies.update_cancelled'))
  assert.deepEqual(javascript, step('npm', 'not_run', false))
  assert.equal(inventory?.composer.succeeded, true)
  assert.equal(inventory?.composer.snapshot?.graph?.resolutions[0]?.version, 'v1.4.1')
})

test('an update succeeds only when the final scan does [DEP-066]', async () => {
  await using world = await startUpdate(NPM, { vp: "echo '{' >package-lock.json" })
  const { succeeded, error_code, javascript, inventory } = await world.update()
  assert.deepEqual([succeeded, error_code], [false, 'dependencies.invalid_npm_input'])
  assert.deepEqual(javascript, step('npm', 'succeeded', true))
  assert.equal(inventory?.javascript.error_code, 'dependencies.invalid_npm_input')
})

const REFUSED: Readonly<Record<string, readonly [files: Files, code: string]>> = {
  'a project of Yarn': [
    { 'package.json': { packageManager: 'yarn@4.0.0' } },
    'dependencies.unsupported_format',
  ],
  'a workspace': [{ ...NPM, 'package.json': { workspaces: ['a'] } }, 'dependencies.unsupported_layout'],
  'two package managers': [{ ...NPM, 'bun.lock': '{}' }, 'dependencies.ambiguous_manager'],
  'a manifest that is not valid': [{ ...COMPOSER, 'package.json': '{' }, 'dependencies.invalid_manifest'],
}

for (const [what, [files, code]] of Object.entries(REFUSED))
  test(`${what} refuses the update before any package command [DEP-057, DEX-009]`, async () => {
    await using world = await startUpdate({ ...COMPOSER, ...files })
    const answer = await world.update()
    assert.deepEqual(answer, {
      instance_id: world.instance.id,
      succeeded: false,
      error_code: code,
      may_have_mutated: false,
      composer: step('composer', 'not_run', false),
      javascript: step('npm', 'not_run', false, code),
      inventory: null,
    })
    assert.deepEqual(world.ran(), [])
  })

test('a refused update says of each ecosystem why it was refused [DEX-008]', async () => {
  await using world = await startUpdate({ ...NPM, ...COMPOSER, 'composer.json': '{' })
  const one = await world.update()
  assert.deepEqual(
    [one.error_code, one.composer, one.javascript],
    [
      'dependencies.invalid_manifest',
      step('composer', 'not_run', false, 'dependencies.invalid_manifest'),
      step('npm', 'not_run', false),
    ],
  )
  putFiles(world.root, { 'bun.lock': '{}' })
  const both = await world.update()
  assert.deepEqual(
    [both.error_code, both.composer.error_code, both.javascript.error_code],
    ['dependencies.invalid_manifest', 'dependencies.invalid_manifest', 'dependencies.ambiguous_manager'],
  )
  assert.deepEqual(world.ran(), [])
})

test('only the verified version of Vite+ runs, the first that is found [DEP-057, DEP-067, DEP-068, LIM-018]', async () => {
  await using world = await startUpdate({ ...NPM, ...COMPOSER })
  const { home } = world.fleet
  world.program(join(home, '.local/share/vite-plus/bin/vp'), 'true')
  assert.equal((await world.update()).succeeded, true)
  assert.equal(world.ran().length, 2)
  writeFileSync(join(home, '.vite-plus/bin/vp'), '#!/bin/sh\necho "vp v0.4.0"\n')
  const { error_code, composer, javascript, inventory } = await world.update()
  assert.deepEqual([error_code, inventory], ['dependencies.unsupported_delegation', null])
  assert.deepEqual([composer.error_code, javascript.error_code], [null, error_code])
  chmodSync(join(home, '.vite-plus/bin/vp'), 0o644)
  assert.equal((await world.update()).succeeded, true)
  assert.equal(world.ran().length, 4)
  chmodSync(join(home, '.local/share/vite-plus/bin/vp'), 0o644)
  const without = await world.update()
  assert.deepEqual(
    [without.error_code, without.may_have_mutated, without.composer.status, without.inventory],
    ['dependencies.unsupported_delegation', false, 'not_run', null],
  )
  assert.equal(world.ran().length, 4)
})

test('a stale lock is no refusal: the update is what mends it', async () => {
  const stale = { ...NPM, 'package.json': { dependencies: { left: '^2.0.0' } } }
  await using world = await startUpdate(stale)
  const { javascript, error_code } = await world.update()
  assert.deepEqual([javascript.status, error_code], ['succeeded', 'dependencies.stale_npm_lockfile'])
})

test('a link in the place of a lock is an unsafe source [DEX-027]', async () => {
  await using world = await startUpdate(NPM)
  const { root, fleet } = world
  putFiles(fleet.home, { 'elsewhere.json': NPM['package-lock.json'] })
  rmSync(join(root, 'package-lock.json'))
  symlinkSync(join(fleet.home, 'elsewhere.json'), join(root, 'package-lock.json'))
  assert.equal((await world.update()).error_code, 'dependencies.unsafe_source')
  assert.deepEqual(world.ran(), [])
})

test('a checkout that somebody made anew by hand is an unsafe source, in which no manager runs [DEX-027]', async () => {
  await using world = await startUpdate({ ...COMPOSER })
  const away = join(world.fleet.home, 'away')
  renameSync(world.root, away)
  execFileSync('git', ['clone', '-q', away, world.root])
  putFiles(world.root, COMPOSER)
  const { error_code, may_have_mutated, composer } = await world.update()
  assert.deepEqual([error_code, may_have_mutated], ['dependencies.unsafe_source', false])
  assert.deepEqual(composer, step('composer', 'failed', false, 'dependencies.unsafe_source'))
  assert.deepEqual(world.ran(), [])
})

test('a manager that takes too long is ended with everything that it started [DEP-063, DEP-064, LIM-015]', async () => {
  await using world = await startUpdate(COMPOSER, {
    composer: 'sh -c "sleep 300; true" & echo $! >child; sleep 300',
  })
  // Of the request's own time the manager gets what clean-up and the final scan leave: four seconds.
  const call = fakeCall({ deadline: new Deadline(systemClock, 64.9, 20) })
  const { composer, inventory } = await world.update(call)
  assert.deepEqual(composer, step('composer', 'failed', true, 'dependencies.update_timeout'))
  assert.equal(inventory?.composer.succeeded, true)
  const child = Number(readFileSync(join(world.root, 'child'), 'utf8'))
  await eventually(() => !existsSync(`/proc/${child}`))
})

test('an update waits for the source lock of its Node before any command [DEX-035]', async () => {
  await using world = await startUpdate({ ...NPM, ...COMPOSER })
  const before = world.fleet.pool.commands.length
  const lock = lockOf('nodeSource', world.instance.node_id)
  await holding(world.fleet.store, fakeCall({ operation: 'another' }), lock, async () => {
    const waiting = fakeCall({ deadline: new Deadline(systemClock, 20.1, 20) })
    assert.equal((await refusalOf(world.update(waiting))).code, 'dependencies.operation_busy')
  })
  assert.deepEqual([world.fleet.pool.commands.length, world.ran()], [before, []])
  assert.equal((await world.update()).succeeded, true)
})

test('an update whose lock was lost answers that, and leaves the inventory to the next holder [GW-045]', async () => {
  await using world = await startUpdate(COMPOSER)
  await world.update()
  const { store, pool } = world.fleet
  const attempts = () => store.db.selectFrom('dependency_attempts').selectAll().execute()
  const before = await attempts()
  // Lost with the inspection, thus before Composer is sent, and while Composer runs.
  for (const lastCommand of [1, 2]) {
    const [end, already] = [pool.commands.length + lastCommand, world.ran().length]
    const call = fakeCall()
    const hold = lockOf('project', world.instance.project_id)
    using _lost = call.locks.add(
      hold,
      fakeLock(hold, () => pool.commands.length < end),
    )
    assert.equal((await refusalOf(world.update(call))).code, 'node.lock_lost')
    assert.equal(world.ran().length, already + lastCommand - 1)
    assert.equal(pool.commands.length, end)
    assert.deepEqual(await attempts(), before)
  }
})

test('a production Instance is refused before anything is sent [DEP-069]', async () => {
  await using world = await startUpdate(COMPOSER)
  await world.fleet.store.db.updateTable('instances').set({ environment: 'production' }).execute()
  const before = world.fleet.pool.commands.length
  const { error_code, inventory } = await world.update()
  assert.deepEqual([error_code, inventory], ['dependencies.production_update_forbidden', null])
  assert.equal(world.fleet.pool.commands.length, before)
})

test('a Node that goes away during a step leaves it unconfirmed: it may have changed files', async () => {
  await using world = await startUpdate({ ...NPM, ...COMPOSER })
  world.fleet.pool.loseReplyOf((shown) => shown.includes('lifecycle step'))
  const { composer, javascript, succeeded } = await world.update()
  assert.deepEqual(composer, step('composer', 'failed', true, 'dependencies.update_failed'))
  assert.deepEqual([javascript.status, succeeded], ['not_run', false])
  world.fleet.pool.clearFaults()
  world.fleet.pool.failBefore((shown) => shown.includes('lifecycle step'))
  assert.deepEqual(
    (await world.update()).composer,
    step('composer', 'failed', false, 'dependencies.update_failed'),
  )
})
