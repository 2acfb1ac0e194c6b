import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { CodedError } from '@fleet/kernel'
import { localSession, serviceHost } from '@fleet/testing'
import { resetOpcodeCache } from '#/php/production/reset-cache.ts'
import type { ProductionService } from '#/php/production/service-record.ts'
import { CACHE_TEXT, configurationText, MASTER_TEXT } from '#/php/production/text.ts'

export const VERSION = '8.2'
export const USER = 'nobody'
export const skip = process.getuid?.() !== 0 || spawnSync(`php-fpm${VERSION}`, ['-v']).status !== 0
const PLACE = `etc/fleet/php-fpm/${USER}/generated`

export const service: ProductionService = {
  instance: { id: 7, name: 'live' },
  user: USER,
  home: '/home/shop',
  version: VERSION,
  defaultDirectory: '',
  otherDirectories: [],
  isDeployed: true,
}

/** A real process manager with the configuration of the service, below a folder of this test. */
export async function startManager(ini = '', change: (text: string) => string = (text) => text) {
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
  // Standard error is a socket, as under systemd, which no path opens.
  const stdio = ['ignore', 'ignore', 'pipe'] as const
  const manager = spawn(`php-fpm${VERSION}`, arguments_, { env: environment, stdio: [...stdio] })
  manager.stderr?.resume()
  stack.defer(async () => {
    manager.kill('SIGKILL')
    // Its workers have it too.
    manager.stderr?.destroy()
    await new Promise((resolve) => manager.once('exit', resolve))
  })
  const socket = host.at(`run/php/${USER}.sock`)
  for (let tries = 0; tries < 600 && !existsSync(socket); tries++)
    await new Promise((go) => setTimeout(go, 50))
  const session = localSession(host.pool)
  return {
    host,
    socket,
    session,
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
