import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { localSession, serviceHost } from '@fleet/testing'
import { service, skip, startManager, USER, VERSION } from '#/php/production/manager-world.test.ts'
import { resetOpcodeCache } from '#/php/production/reset-cache.ts'

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
