import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { run, script } from '@fleet/shell'
import { CodedError } from '@fleet/kernel'
import type { Question } from '#/nodes/api.ts'
import { productionPools, type ProductionService } from '#/php/production/service-record.ts'
import { startWorld, type World } from '#/php/world.test.ts'

const UNIT = 'fleet-shop-live-php8.2-fpm.service'
const PLACE = 'etc/fleet/php-fpm/shop-live'
const CONFIGURATION = `${PLACE}/generated/php-fpm.conf`
const LOCAL = `${PLACE}/local.conf`

const service = (given: Partial<ProductionService> = {}): ProductionService => ({
  instance: { id: 7, name: 'live' },
  user: 'shop-live',
  home: '/home/shop-live',
  version: '8.2',
  defaultDirectory: '',
  otherDirectories: [],
  isDeployed: false,
  ...given,
})

/** A Node on which the sockets of the services answer. */
async function startWith(...services: readonly ProductionService[]) {
  const world = await startWorld()
  world.install('8.2')
  world.services = services
  const stack = new AsyncDisposableStack()
  stack.use(world)
  const listen = async (): Promise<void> => {
    for (const { socket, directory } of world.services.flatMap(productionPools)) {
      mkdirSync(world.host.at(directory), { recursive: true })
      if (existsSync(world.host.at(socket))) continue
      const server = createServer().listen(world.host.at(socket))
      await new Promise((resolve) => server.once('listening', resolve))
      stack.defer(() => void server.close())
    }
  }
  await listen()
  return Object.assign(world, { listen, [Symbol.asyncDispose]: () => stack.disposeAsync() })
}

async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    const { stage, message, setting } = error.details ?? {}
    return [error.code, stage, message, setting].filter(Boolean).join(' ')
  }
}

const converge = (world: World, id = 7): Promise<string> =>
  outcomeOf(world.php.production.converge(world.session, id))

test('a production Instance has a service of its own with a pool for each directory; the repeat changes nothing [RTX-124, RTX-125, RTX-127, RTX-128, RTE-153]', async () => {
  await using world = await startWith(service({ otherDirectories: ['apps/site', 'apps/site'] }))
  assert.equal(await converge(world), 'done')
  const [, other] = productionPools(world.services[0] ?? service())
  assert.match(other?.name ?? '', /^fleet-shop-live-[0-9a-f]{8}$/)
  assert.match(other?.socket ?? '', /^\/run\/php\/shop-live\.[0-9a-f]{8}\.sock$/)
  const text = world.host.read(CONFIGURATION) ?? ''
  assert.deepEqual(text.match(/^\[.*\]$/gm), ['[global]', '[fleet-shop-live]', `[${other?.name}]`])
  for (const line of [
    'user = shop-live',
    'listen = /run/php/shop-live.sock',
    `listen = ${other?.socket}`,
    'listen.mode = 0660',
    'listen.group = caddy',
    'pm.max_children = 20',
    'php_admin_value[opcache.validate_timestamps] = 0',
  ])
    assert.ok(text.split('\n').includes(line), line)
  const master = world.host.read(`${PLACE}/generated/master.ini`) ?? ''
  for (const line of [
    'opcache.memory_consumption = 256',
    'opcache.interned_strings_buffer = 32',
    'opcache.max_accelerated_files = 65407',
    'opcache.jit = off',
    'opcache.preload =',
    'opcache.file_cache =',
    'opcache.huge_code_pages = 0',
  ])
    assert.ok(master.split('\n').includes(line), line)
  assert.ok(world.host.systemd.isActive(UNIT) && world.host.systemd.isEnabled(UNIT))
  assert.equal(statSync(world.host.at('etc/fleet')).mode & 0o777, 0o711)
  const trips = world.host.pool.executed.length
  assert.equal(await converge(world), 'done')
  assert.equal(world.host.pool.executed.length - trips, 2)
  assert.equal(world.host.systemd.reloads().length, 0)
})

test('whoever takes a pool away is not stopped by a directory that is gone: its pool is left out, and without the first one nothing changes [RTX-064]', async () => {
  const live = service({ otherDirectories: ['apps/site', 'apps/docs'] })
  await using world = await startWith(live)
  await converge(world)
  const pools = () => (world.host.read(CONFIGURATION) ?? '').match(/^\[fleet-.*\]$/gm) ?? []
  const convergeFound = () => outcomeOf(world.php.production.convergeFound(world.session, 7))
  const before = pools()
  assert.equal(before.length, 3)
  const [first, , site] = productionPools(live)
  assert.ok(first && site)
  rmSync(world.host.at(site.directory), { recursive: true })
  assert.match(await converge(world), /^app-prod\.php_runtime_failed directory /)
  assert.equal(await convergeFound(), 'done')
  assert.deepEqual(pools(), before.slice(0, 2))
  rmSync(world.host.at(first.directory), { recursive: true })
  world.services = [service()]
  assert.equal(await convergeFound(), 'done')
  assert.deepEqual(pools(), before.slice(0, 2))
})

test('its directory is below the first checkout, and below `current` once a release is selected, with one reload [RTX-129]', async () => {
  await using world = await startWith(service({ defaultDirectory: 'apps/site' }))
  await converge(world)
  assert.match(
    world.host.read(CONFIGURATION) ?? '',
    /^chdir = "\/home\/shop-live\/releases\/initial\/apps\/site"$/m,
  )
  world.services = [service({ defaultDirectory: 'apps/site', isDeployed: true })]
  assert.equal(
    await converge(world),
    'app-prod.php_runtime_failed directory The directory of a pool is missing. Deploy the Instance again.',
  )
  await world.listen()
  await converge(world)
  assert.match(world.host.read(CONFIGURATION) ?? '', /^chdir = "\/home\/shop-live\/current\/apps\/site"$/m)
  assert.deepEqual(world.host.systemd.reloads(), [UNIT])
})

test('the receipt names the manager that took the files; one that was interrupted is published again [RTX-129]', async () => {
  await using world = await startWith(service())
  await converge(world)
  const receipt = (world.host.read(`${PLACE}/generated/applied`) ?? '').split('\n')
  assert.match(receipt[0] ?? '', /^[0-9a-f]{64}$/)
  assert.match(receipt[1] ?? '', /^[0-9a-f-]{36}$/)
  assert.equal(existsSync(world.host.at(`${PLACE}/generated/pending`)), false)
  world.host.write(`${PLACE}/generated/pending`, 'now\n')
  await converge(world)
  assert.deepEqual(world.host.systemd.reloads(), [UNIT])
  assert.equal(existsSync(world.host.at(`${PLACE}/generated/pending`)), false)
  // Another manager than that of the receipt, as after a boot.
  world.host.write(`${PLACE}/generated/applied`, receipt.with(1, 'another boot').join('\n'))
  await converge(world)
  assert.equal(world.host.systemd.reloads().length, 2)
})

test('the tuning is written once and never again, reaches the default pool alone, and may not override who runs the code [RTX-126]', async () => {
  await using world = await startWith(service({ otherDirectories: ['apps/site'] }))
  await converge(world)
  assert.match(world.host.read(LOCAL) ?? '', /^; Tunes the default PHP pool/)
  world.host.write(LOCAL, '; mine\npm.max_children = 40\n')
  await converge(world)
  assert.equal(world.host.read(LOCAL), '; mine\npm.max_children = 40\n')
  const sections = (world.host.read(CONFIGURATION) ?? '').split(/^(?=\[)/m)
  assert.deepEqual(
    sections.slice(2).map((text) => text.match(/^pm\.max_children.*$/gm)),
    [['pm.max_children = 20', 'pm.max_children = 40'], ['pm.max_children = 20']],
  )
  assert.deepEqual(world.host.systemd.reloads(), [UNIT])
  for (const line of ['user = root', 'listen.mode = 0666', '[global]', 'include = /etc/x', 'Chroot = /'])
    for (const _ of [world.host.write(LOCAL, `${line}\n`)])
      assert.equal(
        await converge(world),
        `app-prod.php_runtime_identity_invalid ${line.split('=')[0]?.trim()}`,
      )
  assert.match(world.host.read(CONFIGURATION) ?? '', /^pm\.max_children = 40$/m)
})

test('what PHP refuses is never used, and a unit of somebody else is not replaced', async () => {
  await using world = await startWith(service())
  await converge(world)
  const before = world.host.read(CONFIGURATION)
  world.host.install('php-fpm8.2', 'echo "[22-Nov-2026 10:00:00] ERROR: bad value" >&2; exit 78')
  world.host.write(LOCAL, 'pm.max_children = lots\n')
  assert.equal(await converge(world), 'app-prod.php_runtime_failed test ERROR: bad value')
  assert.equal(world.host.read(CONFIGURATION), before)
  world.host.write(`etc/systemd/system/${UNIT}`, '[Unit]\n')
  assert.equal(await converge(world), 'app-prod.php_runtime_failed write The file is not one of Fleet.')
})

test('removed with its Instance, also by a Node that did not answer then; the tuning stays [INS-118, INS-115]', async () => {
  await using world = await startWith(
    service(),
    service({ instance: { id: 8, name: 'old' }, user: 'shop-old' }),
  )
  const { production } = world.php
  await production.artifact.converge(world.session, { force: false })
  world.host.write(LOCAL, 'pm.max_children = 40\n')
  await production.remove(world.session, 7)
  assert.deepEqual(
    [
      existsSync(world.host.at(`etc/systemd/system/${UNIT}`)),
      existsSync(world.host.at(`${PLACE}/generated`)),
    ],
    [false, false],
  )
  assert.equal(world.host.systemd.isActive(UNIT), false)
  assert.equal(world.host.read(LOCAL), 'pm.max_children = 40\n')
  await production.remove(world.session, 7)
  world.host.write('etc/systemd/system/fleet-mine-php8.2-fpm.service', '[Unit]\n')
  world.services = []
  assert.equal(await production.artifact.converge(world.session, { force: false }), 'applied')
  assert.equal(existsSync(world.host.at('etc/systemd/system/fleet-shop-old-php8.2-fpm.service')), false)
  assert.equal(existsSync(world.host.at('etc/systemd/system/fleet-mine-php8.2-fpm.service')), true)
})

test('a copy that somebody keeps beside a unit is no service, and keeps none from its own [RTX-124]', async () => {
  await using world = await startWith(service())
  assert.equal(await world.php.production.artifact.converge(world.session, { force: false }), 'applied')
  const kept = 'etc/systemd/system/fleet-shop-live-php8.2-old-fpm.service'
  world.host.write(kept, world.host.read(`etc/systemd/system/${UNIT}`) ?? '')
  assert.equal(await world.php.production.artifact.converge(world.session, { force: false }), 'unchanged')
  assert.equal(existsSync(world.host.at(kept)), true)
})

test('one service that cannot run keeps no other from its own when the Node converges', async () => {
  await using world = await startWith(
    service(),
    service({ instance: { id: 8, name: 'old' }, user: 'shop-old' }),
  )
  world.host.write(LOCAL, 'user = root\n')
  assert.deepEqual(await world.php.production.artifact.converge(world.session, { force: false }), {
    skipped: 'app-prod.php_runtime_identity_invalid',
  })
  assert.ok(world.host.systemd.isActive('fleet-shop-old-php8.2-fpm.service'))
})

test('a gateway without a private network touches no machine', async () => {
  await using world = await startWith(service())
  world.isPrivate = false
  assert.equal(await converge(world), 'node.capability_missing')
  assert.equal(await world.php.production.artifact.digest(world.session.node), undefined)
  assert.equal(world.host.pool.executed.length, 0)
})

/** `name code: observed` of what Doctor says of the services. */
async function findingsOf(world: World): Promise<readonly string[]> {
  const found: string[] = []
  const answerOf = async ({ source, args = [], read }: Question<unknown>): Promise<unknown> => {
    const { exitCode, stdout } = await world.session.run(script(source, ...args))
    return read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
  }
  for (const { checksOf } of world.php.checks)
    for (const check of await checksOf(world.session.call, world.session.node)) {
      if (check.kind !== 'asked') throw new Error('a question was expected')
      const verdict = await check.judge(await answerOf(check.question))
      if (verdict && 'observed' in verdict)
        found.push(`${check.resource.name} ${check.code}: ${verdict.observed}`)
    }
  return found
}

test('Doctor finds a service that is missing, stopped, not started at boot, edited or shared; converging clears it', async () => {
  await using world = await startWith(service())
  assert.deepEqual(await findingsOf(world), ['live instance.php_fpm_association_missing: none'])
  await converge(world)
  assert.deepEqual(await findingsOf(world), [])
  world.host.systemd.kill(UNIT)
  assert.deepEqual(await findingsOf(world), ['live instance.php_fpm_association_missing: stopped'])
  const text = world.host.read(CONFIGURATION) ?? ''
  world.host.write(CONFIGURATION, text.replace('= 20', '= 21'))
  await converge(world)
  assert.deepEqual(await findingsOf(world), [])
  await world.session.run(run('systemctl', 'disable', UNIT))
  assert.deepEqual(await findingsOf(world), [
    'live instance.php_fpm_association_missing: does not start at boot',
  ])
  await converge(world)
  assert.deepEqual(await findingsOf(world), [])
  world.host.write(CONFIGURATION, text.replace('= 20', '= 21'))
  assert.deepEqual(await findingsOf(world), [
    'live instance.php_fpm_projection_mismatch: another configuration',
  ])
  await converge(world)
  world.host.write('etc/fleet/php-fpm/other/generated/php-fpm.conf', text)
  assert.deepEqual(await findingsOf(world), ['live instance.php_fpm_association_shared: shared'])
})
