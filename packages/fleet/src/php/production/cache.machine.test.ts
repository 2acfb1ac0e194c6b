import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { localSession, serviceHost } from '@fleet/testing'
import { resetOpcodeCache } from '#/php/production/reset-cache.ts'
import type { ProductionService } from '#/php/production/service-record.ts'
import { CACHE_TEXT, configurationText, MASTER_TEXT } from '#/php/production/text.ts'

const VERSION = '8.2'
const USER = 'nobody'
const skip = process.getuid?.() !== 0 || spawnSync(`php-fpm${VERSION}`, ['-v']).status !== 0
const PLACE = `etc/fleet/php-fpm/${USER}/generated`

const service: ProductionService = {
  instance: { id: 7, name: 'live' },
  user: USER,
  home: '/home/shop',
  version: VERSION,
  defaultDirectory: '',
  otherDirectories: [],
  isDeployed: true,
}

/** A real process manager with the configuration of the service, below a folder of this test. */
async function startManager(ini = '', change: (text: string) => string = (text) => text) {
  const stack = new AsyncDisposableStack()
  const host = stack.use(serviceHost())
  chmodSync(host.root, 0o755)
  for (const folder of ['run/php', 'home/shop/current']) mkdirSync(host.at(folder), { recursive: true })
  host.write(`${PLACE}/cache.php`, CACHE_TEXT)
  host.write(`${PLACE}/master.ini`, MASTER_TEXT + ini)
  const text = change(configurationText(service, []))
    .replaceAll('listen = /run', `listen = "${host.root}/run`)
    .replaceAll('.sock\n', '.sock"\n')
    .replace('"/home', `"${host.root}/home`)
    .replace('listen.group = caddy', 'listen.group = nogroup')
  host.write(`${PLACE}/php-fpm.conf`, text)
  for (const folder of ['etc', 'etc/fleet', 'etc/fleet/php-fpm', `etc/fleet/php-fpm/${USER}`, PLACE])
    chmodSync(host.at(folder), 0o755)
  const environment = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    PHP_INI_SCAN_DIR: `/etc/php/${VERSION}/fpm/conf.d:${host.at(PLACE)}`,
  }
  const arguments_ = ['--nodaemonize', '--fpm-config', host.at(`${PLACE}/php-fpm.conf`)]
  const manager = spawn(`php-fpm${VERSION}`, arguments_, { env: environment, stdio: 'ignore' })
  stack.defer(async () => {
    manager.kill('SIGKILL')
    await new Promise((resolve) => manager.once('exit', resolve))
  })
  const socket = host.at(`run/php/${USER}.sock`)
  for (let tries = 0; tries < 100 && !existsSync(socket); tries++)
    await new Promise((go) => setTimeout(go, 50))
  const session = localSession(host.pool)
  return {
    host,
    reset: async (): Promise<string> => {
      try {
        await resetOpcodeCache(session, service, host.root)
        return 'reset'
      } catch (error) {
        if (error instanceof CodedError) return error.code
        throw error
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('a later request of the pool has seen the reset of its opcode cache [DEPL-034]', { skip }, async () => {
  await using world = await startManager()
  assert.equal(await world.reset(), 'reset')
  assert.equal(await world.reset(), 'reset')
})

test(
  'a cache that is off or that this script may not reset is named, and so are a pool that is not that of the Instance and a socket of nobody [DEPL-034]',
  { skip },
  async () => {
    await using off = await startManager('opcache.enable = 0\n')
    assert.equal(await off.reset(), 'app-prod.php_cache_reset_rejected')
    await using other = await startManager('', (text) => text.replace(`[fleet-${USER}]`, '[fleet-other]'))
    assert.equal(await other.reset(), 'app-prod.php_cache_association_invalid')
    using host = serviceHost()
    mkdirSync(host.at('run/php'), { recursive: true })
    const session = localSession(host.pool)
    const asked = (): Promise<void> => resetOpcodeCache(session, service, host.root)
    await assert.rejects(asked(), { code: 'app-prod.php_cache_socket_unavailable' })
    writeFileSync(host.at(`run/php/${USER}.sock`), '')
    await assert.rejects(asked(), { code: 'app-prod.php_cache_socket_unavailable' })
  },
)

test(
  'a reset that no later request has seen by the deadline is pending [DEPL-034]',
  { skip: spawnSync(`php${VERSION}`, ['-v']).status !== 0 },
  async () => {
    using host = serviceHost()
    mkdirSync(host.at('run/php'), { recursive: true })
    // Somebody answers as the pool would, and never resets.
    const body = JSON.stringify({
      pool: `fleet-${USER}`,
      user: 65_534,
      reset: true,
      generation: '1-0',
      pending: true,
    })
    const text = Buffer.from(`Content-Type: application/json\r\n\r\n${body}`)
    const header = Buffer.from([1, 6, 0, 1, text.length >> 8, text.length & 255, 0, 0])
    await using server = createServer((socket) => {
      socket.on('error', () => undefined).resume()
      socket.end(Buffer.concat([header, text]))
    }).listen(host.at(`run/php/${USER}.sock`))
    await new Promise((resolve) => server.once('listening', resolve))
    await assert.rejects(resetOpcodeCache(localSession(host.pool), service, host.root, 0.2), {
      code: 'app-prod.php_cache_reset_pending',
    })
  },
)
