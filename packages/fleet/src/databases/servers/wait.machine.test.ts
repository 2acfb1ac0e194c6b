import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CodedError, Secret } from '@fleet/kernel'
import { localSession, serviceHost } from '@fleet/testing'
import { commandOf } from '#/nodes/api.ts'
import { beginVolume, waitForLogin } from '#/databases/servers/commands/server-scripts.ts'

const login = (engine: 'mysql' | 'pgsql') => ({
  login: { container: 'db', engine, password: new Secret('root-password') },
  sql: 'SELECT 1',
})

for (const [engine, tcp] of [
  ['mysql', /--host=127\.0\.0\.1 --protocol=tcp --user=root/],
  ['pgsql', /--host 127\.0\.0\.1 --username postgres/],
] as const)
  test(`the root login of a ${engine} server is tried inside its container over TCP until it answers, and what the server wrote until then survives a power cut [DBS-032]`, async () => {
    using host = serviceHost()
    // The third try is let in.
    host.install('sync', 'printf "%s\\n" "$*" >>"$FAKE/synchronized"')
    host.install(
      'docker',
      '[ "$1" != info ] || exec echo /var/lib/docker; cat >/dev/null; printf "%s\\n" "$*" >>"$FAKE/asked"; [ "$(grep -c "^container exec" "$FAKE/asked")" -ge 3 ]',
    )
    await localSession(host.pool).ask(waitForLogin, login(engine))
    const asked = host.read('asked') ?? ''
    assert.equal(asked.match(/^container exec --interactive db sh -c /gm)?.length, 3)
    assert.equal(host.read('synchronized'), '--file-system -- /var/lib/docker\n')
    assert.match(asked, tcp)
    assert.doesNotMatch(asked, /root-password/)
  })

test('a server that never lets root in is waited for 120 seconds, then its start has failed with 502 [DBS-032]', async () => {
  using host = serviceHost()
  host.install('docker', 'exit 1')
  const waiting = localSession(host.pool).ask(waitForLogin, { ...login('mysql'), seconds: 1 })
  await assert.rejects(waiting, { code: 'database.server_start_failed', status: 502 })
  assert.deepEqual(waitForLogin.args?.(login('mysql')), ['db', 'mysql', 120])
  assert.ok((waitForLogin.timeoutSeconds ?? 0) > 120)
  assert.match(commandOf(waitForLogin, login('mysql')).shown, /db mysql 120/)
})

test('a server that answers, but whose files cannot be brought to the disk, has not started, and the error says so', async () => {
  using host = serviceHost()
  host.install('sync', 'exit 1')
  host.install('docker', '[ "$1" != info ] || exec echo /var/lib/docker')
  await assert.rejects(localSession(host.pool).ask(waitForLogin, login('mysql')), (error: CodedError) => {
    assert.deepEqual([error.code, error.details?.['reason']], ['database.server_start_failed', 'not-written'])
    assert.match(
      error.message,
      /^The database server answers, but .* disk of the Node .* run the same command again/,
    )
    return true
  })
})

const startFailed = (message: RegExp) => (error: CodedError) => {
  assert.equal(error.code, 'database.server_start_failed')
  assert.match(error.message, message)
  return true
}

test('a volume that cannot be made, and a program that breaks off, are not told as a login that was waited for', async () => {
  using host = serviceHost()
  host.install('docker', 'exit 1')
  const begun = localSession(host.pool).ask(beginVolume, { volume: 'v', mark: 'm', process: 7 })
  await assert.rejects(begun, startFailed(/^Docker could neither empty nor make the volume/))
  host.install('date', 'kill -KILL "$PPID"')
  const waiting = localSession(host.pool).ask(waitForLogin, login('mysql'))
  await assert.rejects(
    waiting,
    startFailed(/^The Node did not say how the start of the database server went/),
  )
})
