import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { freePort } from '@fleet/testing/free-port'
import { dataOf, type JsonObject, rowsOf } from './ask.ts'
import { type EmbeddedFleet, startEmbedded, temporaryHome } from './harness.ts'

/** The file after import, update and synchronization: sorted, quoted, expanded, without comments (ENV-044). */
const EXPECTED = [
  String.raw`DATABASE_PASSWORD='p$ss"w0rd\with#everything'`,
  'DATABASE_URL="mysql://shop@db.example.test/shop"',
  'DATABASE_USER="shop"',
  'DEBUG="false"',
  'EMPTY=""',
  'MAIL_FOOTER="Thank you!\nYour shop"',
  'MAIL_FROM="Shop <orders@example.test>"',
  'SHOP_COLOUR="#7a3b12"',
  'SHOP_CURRENCY="EUR"',
  'SHOP_GREETING="Welcome back — the kettle is on"',
  'SHOP_HOST="127.0.0.1"',
  'SHOP_NAME="Kaffee & Söhne"',
  'SHOP_PORT="3000"',
  'SHOP_SHELF=\'Espresso 2.40\nCafé crème 3.10\nBrownie "double" 2.80\'',
  'SHOP_URL="http://127.0.0.1:3000/"',
  '',
].join('\n')

const ROOT = resolve(import.meta.dirname, '../..')
const hasCurl = spawnSync('curl', ['--version']).status === 0

/** Values of the sample that nobody would print by chance. */
const VALUES = ['w0rd', 'Söhne', 'kettle', 'Espresso', 'orders@', 'mysql://', '7a3b12']

const checkoutOf = (fleet: EmbeddedFleet): string => join(fleet.home, 'nodes/node-1/apps/shop/default')

const activitiesOf = async (fleet: EmbeddedFleet): Promise<readonly JsonObject[]> =>
  rowsOf(await fleet.ask('GET', '/api/v1/activities?limit=200'))

test('the sample ends with a checkout on the Node and an .env file byte for byte as stored [ENV-011, ENV-044, ENV-045]', async () => {
  await using fleet = await startEmbedded({ sample: true })
  const checkout = checkoutOf(fleet)
  assert.equal(readFileSync(join(checkout, '.env'), 'utf8'), EXPECTED)
  assert.equal(statSync(join(checkout, '.env')).mode & 0o7777, 0o600)
  assert.equal(statSync(join(checkout, '.env')).uid, process.getuid?.())
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-C', checkout, ...words], { encoding: 'utf8' }).trim()
  const instance = dataOf(await fleet.ask('GET', '/api/v1/instances/1'))
  assert.equal(git('rev-parse', 'HEAD'), instance['starting_commit'])
  assert.equal(git('rev-parse', '--abbrev-ref', 'HEAD'), 'main')
  assert.equal(git('status', '--porcelain'), '')
  assert.deepEqual(
    [instance['status'], instance['checkout_path'], instance['node']],
    ['active', checkout, { id: fleet.nodeId('node-1'), name: 'node-1' }],
  )
})

test('what the sample prints and records names every step and holds no value, and other users see none of it [ENV-002]', async () => {
  await using fleet = await startEmbedded({ sample: true })
  const output = fleet.output()
  for (const step of [
    'Trust',
    'Nodes',
    'Project',
    'Instance',
    'Import',
    'Update',
    'Synchronize',
    'Again',
    'Activities',
    'Feed',
  ])
    assert.match(output, new RegExp(`^✓ ${step} `, 'm'))
  assert.doesNotMatch(output, /✗/)
  const rows = await activitiesOf(fleet)
  assert.deepEqual(
    rows
      .map((row) => `${row['command']} ${row['status']}`)
      .toReversed()
      .slice(0, 9),
    [
      'gateway:trust succeeded',
      'node:list succeeded',
      'broadcasting:authorize succeeded',
      'project:create succeeded',
      'instance:create succeeded',
      'env:import succeeded',
      'env:update succeeded',
      'env:sync succeeded',
      'env:sync succeeded',
    ],
  )
  const stored = ['gateway.sqlite', 'gateway.sqlite-wal'].map((name) =>
    readFileSync(join(fleet.home, name), 'utf8'),
  )
  const log = readFileSync(join(fleet.home, 'gateway.log'), 'utf8')
  for (const value of VALUES)
    for (const text of [output, JSON.stringify(rows), log, ...stored]) assert.ok(!text.includes(value), value)
  for (const path of ['.', 'nodes', 'nodes/node-1', 'ca', 'ssh', 'host-keys', 'git'])
    assert.equal(statSync(join(fleet.home, path)).mode & 0o077, 0, path)
})

test('every command that it offers to try works as printed', async () => {
  await using fleet = await startEmbedded({ sample: true })
  const commands = fleet
    .output()
    .split('\n')
    .filter((line) => /^ {2}(\S.*)?(\.\/fleet|curl) /.test(line))
    .filter((line) => hasCurl || !line.includes('curl '))
    .map((line) => line.trim())
  assert.ok(commands.length >= 6)
  for (const command of commands) {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' })
    assert.equal(status, 0, `${command}\n${stdout}${stderr}`)
    if (command.startsWith('curl')) assert.match(stdout, /"node_access\.required"/)
  }
  assert.match(readFileSync(join(checkoutOf(fleet), '.env'), 'utf8'), /^SHOP_CURRENCY="CHF"$/m)
  const made = join(fleet.home, 'nodes/node-2/apps/shop/next')
  assert.ok(existsSync(join(made, 'shop.js')), 'the branch next is checked out on the other Node')
})

test('a later start finds everything, repeats nothing and does not bring back what was removed', async () => {
  using home = temporaryHome()
  const port = await freePort()
  await using first = await startEmbedded({ home: home.path, port, sample: true })
  const before = await activitiesOf(first)
  const removal = await first.ask('DELETE', '/api/v1/instances/1')
  assert.equal(removal.status, 200, removal.text)
  await first.end('SIGTERM')
  await using second = await startEmbedded({ home: home.path, port, sample: true })
  assert.match(second.output(), /^✓ Projects {4}shop from https:/m)
  assert.match(second.output(), /^✓ Instances {3}none yet$/m)
  const since = (await activitiesOf(second)).filter((row) => !before.some(({ id }) => row['id'] === id))
  assert.deepEqual(
    since.map((row) => String(row['command'])).filter((command) => !command.endsWith(':list')),
    ['instance:destroy'],
  )
  assert.equal(existsSync(checkoutOf(second)), false)
})

test('a step that fails is reported with its code and request, the fleet stays up, and the next start continues', async () => {
  using home = temporaryHome()
  const port = await freePort()
  await using empty = await startEmbedded({ home: home.path, port })
  await empty.end('SIGTERM')
  // A file in the place of the folder of checkouts.
  const nodeHome = join(home.path, 'nodes/node-1')
  execFileSync('touch', [join(nodeHome, 'apps')])
  await using failed = await startEmbedded({ home: home.path, port, sample: true })
  assert.match(failed.output(), /^✗ Stopped {5}.*\([a-z_]+\.[a-z_]+\)\n +request [0-9a-f-]{36}$/m)
  assert.match(failed.output(), /\nready https:.*\n$/)
  assert.equal((await failed.ask('GET', '/api/v1/gateway/status')).status, 200)
  await failed.end('SIGTERM')
  rmSync(join(nodeHome, 'apps'))
  await using mended = await startEmbedded({ home: home.path, port, sample: true })
  assert.doesNotMatch(mended.output(), /✗/)
  assert.equal(readFileSync(join(checkoutOf(mended), '.env'), 'utf8'), EXPECTED)
})

test('a run of the sample that is killed is taken up by the next start', async () => {
  using home = temporaryHome()
  const port = await freePort()
  await using complete = await startEmbedded({ home: home.path, port, sample: true })
  await complete.end('SIGKILL')
  // As if it had been killed after the import: nothing says that the sample came to its end.
  rmSync(join(home.path, 'sample.finished'))
  await using again = await startEmbedded({ home: home.path, port, sample: true })
  assert.match(again.output(), /^✓ Import {6}\.env of the checkout is in encrypted storage already$/m)
  assert.doesNotMatch(again.output(), /✗/)
  assert.equal(readFileSync(join(checkoutOf(again), '.env'), 'utf8'), EXPECTED)
})
