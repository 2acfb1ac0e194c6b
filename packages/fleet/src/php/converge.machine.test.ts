import assert from 'node:assert/strict'
import { readlinkSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { golden, makeDirectories, pool, removeDirectory, startWorld, type World } from '#/php/world.test.ts'

const FILE = (version: string): string => `etc/php/${version}/fpm/pool.d/fleet-scopes.conf`
const MODULE = 'etc/php/8.2/mods-available/fleet-runtime.ini'

/** A Node that runs the pools. */
async function startWith(...pools: World['pools']): Promise<World> {
  const world = await startWorld()
  world.pools = pools
  for (const version of new Set(pools.map((one) => one.version))) world.install(version)
  makeDirectories(world)
  await world.listen(...pools)
  return world
}

async function failureOf({ php, session }: World): Promise<string> {
  try {
    const { outcome, skipped } = await php.converge(session)
    return [outcome, ...skipped.map(({ name }) => name)].join(' ')
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    const { stage, message } = error.details ?? {}
    return [error.code, stage, message].filter(Boolean).join(' ')
  }
}

test('the pools of a version are one file that follows from the records, with settings of the process manager alone; the repeat changes nothing in two round trips [RTX-119, RTX-120, RTX-121, RTX-128, RTE-142]', async () => {
  await using world = await startWith(pool(12), pool(3, '8.2', 'apps/site'))
  assert.equal(await failureOf(world), 'applied')
  assert.equal(world.host.read(FILE('8.2')), golden('fleet-scopes.conf'))
  assert.equal(world.host.read(MODULE), golden('fleet-runtime.ini'))
  assert.equal(
    readlinkSync(world.host.at('etc/php/8.2/fpm/conf.d/99-fleet-runtime.ini')),
    '/etc/php/8.2/mods-available/fleet-runtime.ini',
  )
  assert.equal(statSync(world.host.at(FILE('8.2'))).mode & 0o777, 0o644)
  assert.ok(
    world.host.systemd.isActive('php8.2-fpm.service') && world.host.systemd.isEnabled('php8.2-fpm.service'),
  )
  const trips = world.host.pool.executed.length
  world.pools = world.pools.toReversed()
  assert.equal(await failureOf(world), 'unchanged')
  assert.equal(world.host.pool.executed.length - trips, 2)
})

test('a change reloads the version that it concerns, once, and no other; a stopped one is started [RTX-122]', async () => {
  await using world = await startWith(pool(1), pool(2, '8.4'))
  await failureOf(world)
  const reloads = world.host.systemd.reloads().length
  const added = pool(3, '8.4')
  world.pools = [...world.pools, added]
  makeDirectories(world)
  await world.listen(added)
  assert.equal(await failureOf(world), 'applied')
  assert.deepEqual(world.host.systemd.reloads().slice(reloads), ['php8.4-fpm.service'])
  world.host.systemd.kill('php8.2-fpm.service')
  assert.equal(await failureOf(world), 'applied')
  assert.ok(world.host.systemd.isActive('php8.2-fpm.service'))
  assert.equal(world.host.systemd.reloads().length, reloads + 1)
})

test('a pool whose directory is missing is left out while all others are published, and whoever needs it is refused after that [RTX-122, RTX-123]', async () => {
  await using world = await startWith(pool(1), pool(2), pool(3, '8.4'))
  const [, missing] = world.pools
  assert.ok(missing)
  removeDirectory(world, missing)
  await assert.rejects(world.php.publish(world.session, missing), {
    code: 'app-dev.php_pool_directory_missing',
    details: { node: { id: 1, name: 'web-1' }, directories: [missing.directory] },
  })
  const text = world.host.read(FILE('8.2')) ?? ''
  assert.match(text, /^\[orbit-app-instance-1\]$/m)
  assert.doesNotMatch(text, /orbit-app-instance-2/)
  assert.match(world.host.read(FILE('8.4')) ?? '', /^\[orbit-app-instance-3\]$/m)
  await world.php.publish(world.session, { name: 'orbit-app-instance-1' })
  const skipped = { skipped: 'app-dev.php_pool_directory_missing' }
  assert.deepEqual(await world.php.artifact.converge(world.session, { force: false }), skipped)
})

test('a pool that PHP refuses is never used: the whole set is tried first, with the pools of others, and every version stays [RTX-122]', async () => {
  await using world = await startWith(pool(1), pool(2, '8.4'))
  await failureOf(world)
  const before = [world.host.read(FILE('8.2')), world.host.read(FILE('8.4'))]
  world.pools = [...world.pools, pool(4), pool(5, '8.4', 'refused')]
  makeDirectories(world)
  assert.equal(
    await failureOf(world),
    'app-dev.php_runtime_failed test ERROR: [pool x] refused is not a directory, token=[REDACTED]',
  )
  assert.deepEqual([world.host.read(FILE('8.2')), world.host.read(FILE('8.4'))], before)
  assert.equal(world.host.systemd.reloads().length, 0)
  assert.match(world.host.read('tried') ?? '', /8\.4\/fpm\/pool\.d\/www\.conf/)
})

test('when one version does not come up with its pools, all versions that were changed run as before [RTX-122]', async () => {
  await using world = await startWith(pool(1), pool(2, '8.4'))
  await failureOf(world)
  const before = [world.host.read(FILE('8.2')), world.host.read(FILE('8.4'))]
  world.pools = [...world.pools, pool(4), pool(5, '8.4')]
  makeDirectories(world)
  await world.listen(...world.pools)
  world.host.systemd.break('php8.4-fpm.service', { message: 'cannot bind' })
  assert.equal(
    await failureOf(world),
    'app-dev.php_runtime_failed reload PHP rejected the pools. The previous ones are still in use.',
  )
  assert.deepEqual([world.host.read(FILE('8.2')), world.host.read(FILE('8.4'))], before)
  assert.deepEqual(world.host.systemd.reloads().slice(-1), ['php8.2-fpm.service'])
  world.host.systemd.clearFaults()
  assert.equal(await failureOf(world), 'applied')
})

test('packages that a version lacks are installed first; a source without them has its own code [RTX-116, RTX-122]', async () => {
  await using world = await startWith(pool(1))
  world.host.write('installed', 'installed php8.2-fpm\n')
  world.host.write('offered', 'php8.2-cli\nphp8.2-gd\n')
  world.host.write('arrives', 'installed php8.2-cli\ninstalled php8.2-gd\n')
  assert.equal(await failureOf(world), 'applied')
  assert.match(world.host.read('installed') ?? '', /php8\.2-cli\ninstalled php8\.2-gd/)
  world.host.write('installed', '')
  world.host.install('apt-get', 'echo "E: Unable to locate package" >&2; exit 100')
  assert.equal(await failureOf(world), 'app-dev.php_package_source_unavailable')
})

test('a version without a pool loses what is of Fleet: a manager with pools of others is reloaded, one without any is stopped [RTX-119, RTE-143]', async () => {
  await using world = await startWith(pool(1), pool(2, '8.4'))
  await failureOf(world)
  world.pools = world.pools.slice(0, 1)
  assert.equal(await failureOf(world), 'applied')
  assert.equal(world.host.read(FILE('8.4')), undefined)
  assert.deepEqual(world.host.systemd.reloads(), ['php8.4-fpm.service'])
  world.pools = []
  world.host.write('etc/php/8.2/fpm/pool.d/www.conf.off', '')
  world.host.install('find', ':')
  assert.equal(await failureOf(world), 'applied')
  assert.equal(world.host.read(MODULE), undefined)
  assert.equal(world.host.systemd.isActive('php8.2-fpm.service'), false)
  assert.equal(await failureOf(world), 'unchanged')
})

test('the role takes its pools away whatever the records say, and those of others stay [ROLE-007]', async () => {
  await using world = await startWith(pool(1))
  await failureOf(world)
  await world.php.withdraw(world.session)
  assert.equal(world.host.read(FILE('8.2')), undefined)
  assert.equal(world.host.read('etc/php/8.2/fpm/pool.d/www.conf'), '[www]\n')
  await world.php.withdraw(world.session)
})

test('a directory that cannot be a value of the file is refused before anything changes', async () => {
  await using world = await startWith({ ...pool(1), directory: '/srv/apps/$HOME' })
  assert.equal(
    await failureOf(world),
    'app-dev.php_runtime_failed render A directory of the pools has a quote, a backslash or a dollar sign in its path.',
  )
  assert.equal(world.host.read(FILE('8.2')), undefined)
})

test('without a private network a source with PHP is refused, and one without is not; with one nobody is asked', async () => {
  await using world = await startWith()
  world.host.write('srv/shop/readme', '')
  world.host.write('srv/shop/apps/site/composer.json', '{}')
  const requireServable = (directory: string) =>
    world.php.requireServable(world.session, { checkoutPath: world.host.at('srv/shop'), directory })
  await requireServable('apps/site')
  assert.equal(world.host.pool.executed.length, 0)
  world.isPrivate = false
  await requireServable('')
  await assert.rejects(requireServable('apps/site'), {
    code: 'node.capability_missing',
    details: { node: { id: world.session.node.id, name: 'web-1' }, capability: 'PHP' },
  })
})

test('a gateway without a private network touches no machine', async () => {
  await using world = await startWith()
  world.isPrivate = false
  assert.equal(await failureOf(world), 'unchanged')
  world.pools = [pool(1)]
  assert.equal(await failureOf(world), 'node.capability_missing')
  for (const checks of world.php.checks)
    assert.deepEqual(await checks.checksOf(world.session.call, world.session.node), [])
  assert.equal(world.host.pool.executed.length, 0)
})

test('what converge would install has a digest that follows from the pools, whatever their order [NODE-120]', async () => {
  await using world = await startWith(pool(1), pool(2))
  const { node } = world.session
  const first = await world.php.artifact.digest(node)
  world.pools = world.pools.toReversed()
  assert.equal(await world.php.artifact.digest(node), first)
  world.pools = [pool(1)]
  assert.notEqual(await world.php.artifact.digest(node), first)
  world.pools = []
  assert.equal(await world.php.artifact.digest({ ...node, activeRoles: [] }), undefined)
})

test('a copy that somebody keeps beside the settings of a version is left alone [RTX-119]', async () => {
  await using world = await startWith(pool(1))
  assert.equal(await failureOf(world), 'applied')
  const kept = 'etc/php/8.2.bak/fpm/pool.d/fleet-scopes.conf'
  world.host.write(kept, world.host.read(FILE('8.2')) ?? '')
  assert.equal(await failureOf(world), 'unchanged')
  world.pools = []
  assert.equal(await failureOf(world), 'applied')
  assert.deepEqual([world.host.read(FILE('8.2')), world.host.read(kept) === undefined], [undefined, false])
})
