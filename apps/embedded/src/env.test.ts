import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { hasStoredGateway, readEnv, settings } from './env.ts'
import { commandLine } from './sample/command-line.ts'

const CHECKOUT = resolve(import.meta.dirname, '../../..')

/** Reads an environment in a process of its own, since a problem ends the process. */
const readElsewhere = (environment: Readonly<Record<string, string>>) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--eval', `import('${import.meta.dirname}/env.ts').then(({ readEnv }) => readEnv())`],
    { env: environment, encoding: 'utf8' },
  )
  return { status, stdout, stderr }
}

test('without settings two Nodes, the sample and a home in the checkout are taken', () => {
  const env = readEnv({ PATH: '/bin' })
  assert.deepEqual(env, {
    home: `${CHECKOUT}/.fleet`,
    isDefaultHome: true,
    port: 8443,
    nodes: 2,
    sample: true,
    databaseUrl: undefined,
    log: undefined,
    appKey: undefined,
    version: 'dev',
    programs: { PATH: '/bin', LANG: 'C.UTF-8', no_proxy: '127.0.0.1,localhost' },
  })
})

test('an empty setting counts as unset', () => {
  assert.equal(readEnv({ FLEET_EMBEDDED_PORT: '', FLEET_HOME: '' }).port, 8443)
})

test('a relative home is taken from the working directory', () => {
  assert.equal(readEnv({ FLEET_HOME: 'elsewhere' }).home, resolve('elsewhere'))
})

test('proxies of the machine reach programs, but never for loopback', () => {
  const { programs } = readEnv({
    PATH: '/bin',
    HTTPS_PROXY: 'http://proxy.example.test:3128',
    NO_PROXY: 'intranet',
  })
  assert.equal(programs['https_proxy'], 'http://proxy.example.test:3128')
  assert.equal(programs['no_proxy'], 'intranet,127.0.0.1,localhost')
})

test('every problem is reported at once, and the status is 2', () => {
  const reported = readElsewhere({
    FLEET_EMBEDDED_PORT: '70000',
    FLEET_EMBEDDED_NODES: '0',
    FLEET_EMBEDDED_SAMPLE: 'yes',
    FLEET_DATABASE_URL: 'mysql://x',
    FLEET_LOG: 'loud',
  })
  assert.deepEqual(reported, {
    status: 2,
    stdout: '',
    stderr: [
      'FLEET_EMBEDDED_PORT: must be at most 65000',
      'FLEET_EMBEDDED_NODES: must be at least 1',
      'FLEET_EMBEDDED_SAMPLE: must be 0 or 1',
      'FLEET_DATABASE_URL: must start with postgres://',
      'FLEET_LOG: must be json or pretty',
      '',
    ].join('\n'),
  })
})

test('the value of a refused setting is not printed', () => {
  assert.doesNotMatch(readElsewhere({ FLEET_DATABASE_URL: 'mysql://me:hidden@host/db' }).stderr, /hidden/)
})

test('every setting has a line for the generated page', () => {
  for (const { name, default: value, meaning } of settings) assert.ok(name && value && meaning)
  assert.equal(new Set(settings.map(({ name }) => name)).size, settings.length)
})

test('commands to try go to this fleet, also where a gateway is stored and active', (context) => {
  const HOME = mkdtempSync(join(tmpdir(), 'fleet-profiles-'))
  context.after(() => rmSync(HOME, { recursive: true, force: true }))
  assert.equal(hasStoredGateway({ HOME }), false)
  const store = (text: string): void => {
    mkdirSync(join(HOME, '.config/fleet'), { recursive: true })
    writeFileSync(join(HOME, '.config/fleet/gateways.json'), text)
  }
  store(JSON.stringify({ gateways: [] }))
  assert.equal(hasStoredGateway({ HOME }), false)
  store(JSON.stringify({ active: 'live', gateways: [] }))
  assert.equal(hasStoredGateway({ HOME, XDG_CONFIG_HOME: '' }), true)
  assert.equal(hasStoredGateway({ HOME, XDG_CONFIG_HOME: '/nowhere' }), false)
  store('{')
  assert.equal(hasStoredGateway({ HOME }), false)
  const [home, isShadowed] = ['/srv/fleet', true]
  assert.equal(commandLine({ home, isDefaultHome: true, isShadowed: false }), './fleet')
  assert.equal(commandLine({ home, isDefaultHome: true, isShadowed }), 'FLEET_GATEWAY=embedded ./fleet')
  assert.equal(
    commandLine({ home, isDefaultHome: false, isShadowed }),
    'FLEET_GATEWAY=embedded FLEET_HOME=/srv/fleet ./fleet',
  )
})
