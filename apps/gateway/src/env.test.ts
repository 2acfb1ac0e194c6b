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
  assert.deepEqual(asked(own), { origin: 'https://fleet.example.com', home, trustsPublic: true })
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

test('no setting waits for longer than a timer and a date hold, and ages may be any', () => {
  const most = '9'.repeat(15)
  for (const name of [
    'FLEET_HIBERNATION_SWEEP_SECONDS',
    'FLEET_HIBERNATION_WAKE_TIMEOUT_SECONDS',
    'FLEET_HIBERNATION_COLD_WAKE_TIMEOUT_SECONDS',
    'FLEET_GATEWAY_RELEASE_SCHEDULER_DRAIN_SECONDS',
    'FLEET_GATEWAY_RELEASE_TICK_CONFIRMATION_SECONDS',
  ] as const)
    assert.equal(readEnv({ [name]: most })[name], 2_000_000, name)
  for (const name of ['FLEET_HIBERNATION_IDLE_SECONDS', 'FLEET_HIBERNATION_DEPENDENCY_IDLE_SECONDS'] as const)
    assert.equal(readEnv({ [name]: most })[name], Number(most), name)
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

const PARSED = [
  ['FLEET_HOME', '/srv/fleet', '/srv/fleet'],
  [
    'FLEET_LISTEN',
    ' 10.44.0.1:443, [fd00::1]:65535',
    [
      ['10.44.0.1', 443],
      ['fd00::1', 65_535],
    ].map(([address, port]) => ({ address, port })),
  ],
  ...['127.0.0.1:0,127.0.0.1:0', '127.0.0.1:443,127.0.0.1:8443', '0.0.0.0:443,[fd00::1]:443'].map((text) => {
    const places = text.split(',').map((part) => {
      const [, address = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(part) ?? []
      return { address, port: Number(port) }
    })
    return ['FLEET_LISTEN', text, places] as const
  }),
  ['FLEET_DATABASE_URL', 'postgresql://records', 'postgresql://records'],
  ['FLEET_LOG', 'pretty', 'pretty'],
  ['FLEET_APP_DEV_DOMAIN', 'a-1.lan', 'a-1.lan'],
  ['FLEET_WEBSOCKET_PORT', '1024', 1024],
  ['FLEET_WEBSOCKET_PORT', '65535', 65_535],
  ['FLEET_WEBSOCKET_ORIGINS', '*', ['*']],
  ['FLEET_WEBSOCKET_ORIGINS', 'a.example, *.b.example', ['a.example', '*.b.example']],
  ['FLEET_GATEWAY_RELEASE_MIN_FREE_MB', '0', 0],
  ['FLEET_GATEWAY_RELEASE_SNAPSHOTS_KEEP', '0', 1],
  ['FLEET_GATEWAY_RELEASE_SCHEDULER_DRAIN_SECONDS', '0', 0],
] as const
for (const [name, text, value] of PARSED)
  test(`${name} takes ${text}`, () => assert.deepEqual(readEnv({ [name]: text })[name], value))

const WRONG = [
  ['FLEET_HOME', 'var/lib/fleet', 'must be an absolute path'],
  ...['8443', '127.0.0.1', 'localhost:8443', '127.0.0.1:65536', '127.0.0.1:8443,'].map(
    (text) => ['FLEET_LISTEN', text, 'must be address:port, or several separated by commas'] as const,
  ),
  ...['999.1.1.1', '127.0.0', '010.0.0.1', '1.2.3.4.5'].map(
    (address) => ['FLEET_LISTEN', `${address}:8443`, `${address} is not an IP address`] as const,
  ),
  ['FLEET_LISTEN', '[fd00::1::2]:8443', 'fd00::1::2 is not an IP address'],
  ['FLEET_LISTEN', '[fd00]:8443', 'fd00 is not an IP address'],
  ...[
    ['127.0.0.1:8443, 127.0.0.1:8443', '127.0.0.1'],
    ['[fd00::1]:8443,127.0.0.1:8443,[FD00:0::1]:8443', 'fd00::1'],
    ['127.0.0.1:8443,0.0.0.0:8443', '127.0.0.1'],
    ['[::]:8443,127.0.0.1:8443', '127.0.0.1'],
  ].map(
    ([text = '', address = '']) => ['FLEET_LISTEN', text, `listens at ${address} port 8443 twice`] as const,
  ),
  ['FLEET_DATABASE_URL', 'mysql://records', 'must start with postgres://'],
  ...['Fleet', '-fleet', 'a..b', 'a'.repeat(64), `${'a.'.repeat(100)}b`].map(
    (text) => ['FLEET_APP_DEV_DOMAIN', text, 'must be a domain in lowercase'] as const,
  ),
  ...['a.*', '**', '*a.example', 'https://a.example', 'A.example'].map(
    (text) =>
      [
        'FLEET_WEBSOCKET_ORIGINS',
        text,
        'must be host names in lower case, *.name for all below one, or *, joined by commas',
      ] as const,
  ),
  ['FLEET_GATEWAY_RELEASES_KEEP', '-1', 'must be a whole number'],
  ['FLEET_GATEWAY_RELEASES_KEEP', '1'.repeat(16), 'must be a whole number'],
  ['FLEET_GATEWAY_VERIFY_ORIGIN', 'http://fleet.example', 'must be an https origin'],
  ['FLEET_GATEWAY_VERIFY_ORIGIN', 'https://fleet.example/', 'must be an https origin'],
] as const
for (const [name, text, problem] of WRONG)
  test(`${name} refuses ${text}`, (context) => {
    const exit = context.mock.method(process, 'exit', () => assert.fail('it ended'))
    const said = context.mock.method(console, 'error', () => undefined)
    assert.throws(() => readEnv({ [name]: text }), /it ended/)
    assert.deepEqual(exit.mock.calls[0]?.arguments, [2])
    assert.deepEqual(
      said.mock.calls.map((call) => call.arguments),
      [[`${name}: ${problem}`]],
    )
  })

test('an empty setting counts as unset, and each problem of several is printed', (context) => {
  assert.deepEqual(readEnv({ FLEET_HOME: '', FLEET_LISTEN: '' }), readEnv({}))
  context.mock.method(process, 'exit', () => assert.fail('it ended'))
  const said = context.mock.method(console, 'error', () => undefined)
  assert.throws(() => readEnv({ FLEET_HOME: 'home', FLEET_DATABASE_URL: 'records' }), /it ended/)
  assert.deepEqual(
    said.mock.calls.map((call) => call.arguments),
    [['FLEET_HOME: must be an absolute path'], ['FLEET_DATABASE_URL: must start with postgres://']],
  )
})

test('what holds for an unset setting is what the page of settings prints', () => {
  const env = new Map<string, unknown>(Object.entries(readEnv({})))
  const printed = settings.filter(({ default: text }) => /^(\d+|\/\S+|\w+)$/.test(text) && text !== 'none')
  assert.ok(printed.length > 12)
  for (const { name, default: text } of printed) assert.equal(String(env.get(name)), text, name)
  assert.deepEqual(env.get('FLEET_LISTEN'), [{ address: '127.0.0.1', port: 8443 }])
})
