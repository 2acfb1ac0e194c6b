import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type Environment, readEnvironment } from '#/env.ts'
import { ClientError } from '#/exit.ts'
import { updateConfig } from './config.ts'
import { configPath, connect, type Connection } from './connection.ts'

const office = { name: 'office', url: 'https://10.44.0.1', pin: 'ab'.repeat(32), ca: 'office CA' }

const surroundings = (
  context: TestContext,
  variables: Readonly<Record<string, string>> = {},
): Environment => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-cli-'))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  return readEnvironment(join(home, 'checkout'), { HOME: home, ...variables })
}
const embed = (environment: Environment, pid = process.pid): void => {
  mkdirSync(environment.fleetHome, { recursive: true })
  const caFile = join(environment.fleetHome, 'root.crt')
  writeFileSync(caFile, 'embedded CA')
  const nodes = [{ id: 2, name: 'node-1', address: '127.44.0.11' }]
  writeFileSync(
    join(environment.fleetHome, 'embedded.json'),
    JSON.stringify({
      base_url: 'https://127.0.0.1:8443',
      ca_file: caFile,
      websocket: { url: 'wss://127.0.0.1:8790', key: 'key' },
      nodes,
      pid,
    }),
  )
}
const to = (environment: Environment, wish: { gateway?: string; from?: string } = {}): Promise<Connection> =>
  connect(environment, { gateway: wish.gateway, from: wish.from })
const code = (outcome: Promise<unknown>): Promise<string> =>
  outcome.then(
    () => 'connected',
    (error: unknown) => (error instanceof ClientError ? error.code : String(error)),
  )

test('with no profile the embedded fleet of the checkout is found', async (context) => {
  const environment = surroundings(context)
  embed(environment)
  assert.deepEqual(await to(environment), {
    name: 'embedded',
    baseUrl: 'https://127.0.0.1:8443',
    ca: 'embedded CA',
    localAddress: undefined,
    profile: undefined,
  })
})

test('an embedded Node may be named as the source of requests', async (context) => {
  const environment = surroundings(context, { FLEET_SOURCE_ADDRESS: 'node-1' })
  embed(environment)
  assert.equal((await to(environment)).localAddress, '127.44.0.11')
  assert.equal((await to(environment, { from: '127.44.0.12' })).localAddress, '127.44.0.12')
  assert.equal(await code(to(environment, { from: 'node-9' })), 'usage')
})

test('an installed command line without a gateway names the command that adds one, a checkout the embedded fleet too', async (context) => {
  const next = async (isCheckout: boolean): Promise<string | undefined> => {
    const environment = { ...surroundings(context), isCheckout }
    try {
      await to(environment)
      return undefined
    } catch (error) {
      return error instanceof ClientError ? error.next : undefined
    }
  }
  assert.equal(
    await next(false),
    'Add the gateway of your fleet: fleet gateway:add main https://gateway.fleet',
  )
  assert.match((await next(true)) ?? '', /npm start/)
})

test('an embedded fleet that has stopped is distinguished from none [GW-055]', async (context) => {
  const environment = surroundings(context)
  assert.equal(await code(to(environment)), 'gateway.profile_missing')
  // No process has an id above the largest that Linux hands out.
  embed(environment, 4_194_305)
  assert.equal(await code(to(environment)), 'gateway.unreachable')
})

test('the active profile goes before the embedded fleet, and a named one before both', async (context) => {
  const environment = surroundings(context)
  embed(environment)
  const lab = { ...office, name: 'lab', url: 'https://10.45.0.1' }
  await updateConfig(configPath(environment), () => ({ active: 'office', gateways: [office, lab] }))
  assert.equal((await to(environment)).baseUrl, office.url)
  assert.equal((await to(environment, { gateway: 'lab' })).baseUrl, lab.url)
  assert.equal((await to({ ...environment, gateway: 'lab' })).name, 'lab')
  assert.equal((await to(environment, { gateway: 'embedded' })).name, 'embedded')
})

test('a name without a profile is never replaced by another gateway [GW-055]', async (context) => {
  const environment = surroundings(context)
  embed(environment)
  assert.equal(await code(to(environment, { gateway: 'office' })), 'gateway.profile_not_found')
  await updateConfig(configPath(environment), () => ({ active: 'gone', gateways: [office] }))
  assert.equal(await code(to(environment)), 'gateway.profile_not_found')
})
