import assert from 'node:assert/strict'
import { test } from 'node:test'
import { optionsOf } from './options.ts'
import { FEED_CHANNEL, LITERALS } from '@fleet/contract'

import { readEnv, settings } from './env.ts'
import { gatewayNames, proxyNames } from './names.ts'
import { smokeQuestion } from './upgrade/smoke.ts'

test('unset, the settings of a release have their defaults [SET-001, SET-002, SET-003, SET-004, SET-005, SET-006]', () => {
  const env = readEnv({})
  assert.deepEqual(
    [
      env.FLEET_GATEWAY_RELEASE_MIN_FREE_MB,
      env.FLEET_GATEWAY_RELEASES_KEEP,
      env.FLEET_GATEWAY_RELEASE_SNAPSHOTS_KEEP,
      env.FLEET_GATEWAY_RELEASE_SCHEDULER_DRAIN_SECONDS,
      env.FLEET_GATEWAY_RELEASE_TICK_CONFIRMATION_SECONDS,
      env.FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT,
    ],
    [1024, 3, 5, 600, 180, 90],
  )
  assert.equal(env.FLEET_GATEWAY_VERIFY_ORIGIN, undefined)
})

test('a number outside its bounds counts as the nearest of them [SET-002, SET-005, SET-006]', () => {
  const keep = (text: string) => readEnv({ FLEET_GATEWAY_RELEASES_KEEP: text }).FLEET_GATEWAY_RELEASES_KEEP
  assert.deepEqual([keep('1'), keep('2'), keep('9')], [2, 2, 9])
  const tick = (text: string) =>
    readEnv({ FLEET_GATEWAY_RELEASE_TICK_CONFIRMATION_SECONDS: text })
      .FLEET_GATEWAY_RELEASE_TICK_CONFIRMATION_SECONDS
  assert.deepEqual([tick('10'), tick('60'), tick('61')], [60, 60, 61])
  const smoke = (text: string) =>
    readEnv({ FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT: text }).FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT
  assert.deepEqual([smoke('0'), smoke('1'), smoke('600'), smoke('601')], [1, 1, 600, 600])
})

test('the port of the websocket role is 8790 or one that its account may open', (context) => {
  assert.equal(readEnv({}).FLEET_WEBSOCKET_PORT, 8790)
  assert.equal(readEnv({ FLEET_WEBSOCKET_PORT: '9443' }).FLEET_WEBSOCKET_PORT, 9443)
  const exit = context.mock.method(process, 'exit', () => assert.fail('it ended'))
  const said = context.mock.method(console, 'error', () => undefined)
  for (const port of ['443', '0', '65536', '8790x', '-1']) {
    assert.throws(() => readEnv({ FLEET_WEBSOCKET_PORT: port }), /it ended/)
    assert.deepEqual(exit.mock.calls.at(-1)?.arguments, [2])
    assert.deepEqual(said.mock.calls.at(-1)?.arguments, [
      'FLEET_WEBSOCKET_PORT: must be a port from 1024 to 65535',
    ])
  }
})

test('the private suffix is the end of the name in the certificate [GW-059]', () => {
  assert.deepEqual(gatewayNames(readEnv({ FLEET_APP_DEV_DOMAIN: 'lan.example' })), ['gateway.lan.example'])
})

test('further names of the gateway follow the private one, and an origin of a proxy is no name of its certificate', (context) => {
  const env = readEnv({
    FLEET_GATEWAY_NAMES: 'fleet.example.com, vpn.lan',
    FLEET_GATEWAY_VERIFY_ORIGIN: 'https://[2001:db8::1]:8443',
  })
  assert.deepEqual(gatewayNames(env), ['gateway.fleet', 'fleet.example.com', 'vpn.lan'])
  assert.deepEqual(proxyNames(env), ['2001:db8::1'])
  assert.deepEqual(proxyNames(readEnv({})), [])
  context.mock.method(process, 'exit', () => assert.fail('it ended'))
  context.mock.method(console, 'error', () => undefined)
  for (const names of ['*', 'a,', 'Fleet.example', 'a b', 'https://a'])
    assert.throws(() => readEnv({ FLEET_GATEWAY_NAMES: names }), /it ended/, names)
  assert.throws(() => readEnv({ FLEET_GATEWAY_VERIFY_ORIGIN: 'https://[' }), /it ended/)
})

test('an upgrade asks the private origin at the first listen address, or the origin that is set [SET-011]', () => {
  const asked = (environment: NodeJS.ProcessEnv) => smokeQuestion(readEnv(environment))
  const home = '/var/lib/fleet'
  const listen = '10.44.0.1:443,127.0.0.1:8443'
  assert.deepEqual(asked({ FLEET_LISTEN: listen }), {
    origin: 'https://gateway.fleet',
    home,
    address: '10.44.0.1',
  })
  assert.deepEqual(asked({}), { origin: 'https://gateway.fleet:8443', home, address: '127.0.0.1' })
  const own = { FLEET_LISTEN: listen, FLEET_GATEWAY_VERIFY_ORIGIN: 'https://fleet.example.com' }
  assert.deepEqual(asked(own), { origin: 'https://fleet.example.com', home })
})

test('names of settings, header and channel are neutral; two settings keep the names that are printed for them [API-001]', () => {
  const others = settings.map(({ name }) => name).filter((name) => !name.startsWith('FLEET_'))
  assert.deepEqual(others, ['APP_KEY', 'APP_VERSION'])
  assert.deepEqual([LITERALS.requestIdHeader, FEED_CHANNEL], ['x-fleet-request-id', 'fleet'])
})

test('what configures a development proxy of the web console says nothing to the gateway [GW-065]', () => {
  const proxy = { FLEET_GATEWAY_URL: 'https://elsewhere', FLEET_CA_PATH: '/elsewhere' }
  assert.deepEqual(readEnv(proxy), readEnv({}))
  assert.ok(settings.every(({ name }) => !Object.hasOwn(proxy, name)))
})

test('the ACME server of public certificates is that of Caddy, or one at an https URL', (context) => {
  assert.equal(readEnv({}).FLEET_ACME_DIRECTORY, undefined)
  const directory = 'https://acme.test:9443/acme/local/directory'
  assert.equal(readEnv({ FLEET_ACME_DIRECTORY: directory }).FLEET_ACME_DIRECTORY, directory)
  context.mock.method(process, 'exit', () => assert.fail('it ended'))
  context.mock.method(console, 'error', () => undefined)
  for (const wrong of ['http://acme.test/', 'acme.test', 'https://a b', 'https://[']) {
    assert.throws(() => readEnv({ FLEET_ACME_DIRECTORY: wrong }), /it ended/)
  }
})

const HIBERNATION = [
  ['FLEET_HIBERNATION_IDLE_SECONDS', 3600, 1, '[HIB-001]'],
  ['FLEET_HIBERNATION_DEPENDENCY_IDLE_SECONDS', 604_800, 1, '[HIB-002]'],
  ['FLEET_HIBERNATION_SWEEP_SECONDS', 600, 60, '[HIB-003]'],
  ['FLEET_HIBERNATION_WAKE_TIMEOUT_SECONDS', 60, 5, '[HIB-004]'],
  ['FLEET_HIBERNATION_COLD_WAKE_TIMEOUT_SECONDS', 1800, 60, '[HIB-005]'],
] as const
for (const [name, unset, least, row] of HIBERNATION)
  test(`${name} has its default and its lowest value ${row}`, () => {
    assert.equal(readEnv({})[name], unset)
    assert.equal(readEnv({ [name]: '0' })[name], least)
    assert.equal(readEnv({ [name]: String(least + 1) })[name], least + 1)
  })

test('the gateway sleeps and wakes by its settings', () => {
  const env = readEnv(Object.fromEntries(HIBERNATION.map(([name], index) => [name, String(100 + index)])))
  assert.deepEqual(optionsOf(env, '1', undefined).hibernation, {
    idleSeconds: 100,
    dependencyIdleSeconds: 101,
    sweepSeconds: 102,
    wakeSeconds: 103,
    coldWakeSeconds: 104,
  })
})
