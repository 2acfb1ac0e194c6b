import assert from 'node:assert/strict'
import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { script } from '@fleet/shell'
import { fakeCall, localSession } from '@fleet/testing'
import { makeWorld, type WorldGiven } from '#/environment/world.test.ts'

const ROUTE = { domain: 'shop.test', healthy: true, inTransition: false }

/** A production Instance with stored values and its file. */
async function startWorld(given: WorldGiven = {}) {
  const world = await makeWorld({ roles: ['app-prod'], ...given })
  await world.store.db
    .updateTable('instances')
    .set({
      environment: 'production',
      production_user: world.node.user,
      production_home: world.instance.checkout_path,
      selected_release: 'r1',
    })
    .execute()
  const findings = async (): Promise<readonly string[]> => {
    const node = await world.domains.instances.instances.find(world.instance.id)
    assert.ok(node)
    const session = localSession(world.pool, { node: node.node })
    const found: string[] = []
    for (const check of await world.domains.environment.checks.checksOf(fakeCall(), node.node)) {
      assert.ok(check.kind === 'asked')
      assert.equal(check.code, 'instance.environment_projection_mismatch')
      const { source, args = [], read } = check.question
      const { exitCode, stdout } = await session.run(script(source, ...args))
      const answer = read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
      const verdict = await check.judge(answer)
      if (verdict)
        found.push('observed' in verdict ? String(verdict.observed) : `unverifiable ${verdict.unverifiable}`)
    }
    return found
  }
  return Object.assign(world, { findings, file: join(world.instance.checkout_path, '.env') })
}
const UNSAFE = ['a link, or a file that others can read or own']

test('a production file that is missing, edited, open or a link is found, and a synchronization puts it right [DRF-046]', async () => {
  await using world = await startWorld({ route: ROUTE })
  assert.deepEqual(await world.findings(), [])
  await world.update('GREETING', 'hello')
  await world.update('APP_URL', 'https://{{instance.domain}}')
  await world.update('PLACE', '{{instance.environment}}')
  assert.deepEqual(await world.findings(), ['none'])
  await world.sync()
  assert.deepEqual(await world.findings(), [])
  const cases: ReadonlyArray<readonly [harm: () => unknown, observed: readonly string[]]> = [
    [() => writeFileSync(world.file, world.fileText().replace('hello', 'hi')), ['other contents']],
    [() => writeFileSync(world.file, world.fileText().replace('shop.test', 'old.test')), ['other contents']],
    [() => chmodSync(world.file, 0o640), UNSAFE],
    [
      () => {
        rmSync(world.file)
        symlinkSync('elsewhere', world.file)
      },
      UNSAFE,
    ],
  ]
  for (const [harm, observed] of cases) {
    harm()
    assert.deepEqual(await world.findings(), observed)
    rmSync(world.file)
    await world.sync()
    assert.deepEqual(await world.findings(), [])
  }
})

test('a home that is missing is not reported as a file that a synchronization writes', async () => {
  await using world = await startWorld()
  await world.update('GREETING', 'hello')
  renameSync(world.instance.checkout_path, `${world.instance.checkout_path}.aside`)
  assert.deepEqual(await world.findings(), [])
  renameSync(`${world.instance.checkout_path}.aside`, world.instance.checkout_path)
  assert.deepEqual(await world.findings(), ['none'])
})

test('a stored value that was not written yet is found, and the file is compared with the Route of the moment [DRF-046]', async () => {
  const route = { ...ROUTE }
  await using world = await startWorld({ route })
  await world.update('APP_URL', 'https://{{instance.domain}}')
  await world.sync()
  await world.update('GREETING', 'hello')
  assert.deepEqual(await world.findings(), ['other contents'])
  await world.sync()
  assert.deepEqual(await world.findings(), [])
  route.domain = 'new.test'
  assert.deepEqual(await world.findings(), ['other contents'])
  route.inTransition = true
  assert.deepEqual(await world.findings(), [])
  Object.assign(route, { inTransition: false, healthy: false })
  assert.deepEqual(await world.findings(), ['unverifiable route required'])
})

test('a clone that was never deployed has no file yet, which is no difference [DRF-046]', async () => {
  await using world = await startWorld()
  await world.update('GREETING', 'hello')
  assert.deepEqual(await world.findings(), ['none'])
  await world.store.db.updateTable('instances').set({ selected_release: null }).execute()
  assert.deepEqual(await world.findings(), [])
  await world.sync()
  writeFileSync(world.file, 'GREETING="hi"\n')
  assert.deepEqual(await world.findings(), ['other contents'])
})

test('the file of a development Instance is its own, and one that is removed has none', async () => {
  await using world = await startWorld()
  await world.update('GREETING', 'hello')
  assert.deepEqual(await world.findings(), ['none'])
  await world.store.db.updateTable('instances').set({ environment: 'development' }).execute()
  assert.deepEqual(await world.findings(), [])
})
