import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { eventually, localSession, type ServiceHost, serviceHost } from '@fleet/testing'
import {
  copyDatabase,
  type DatabaseLock,
  endCopy,
  runStatements,
  type ServerLogin,
} from '#/databases/servers/commands/server-scripts.ts'

const LOGIN: ServerLogin = {
  container: 'orbit-process-7-main',
  engine: 'mysql',
  password: new Secret('root'),
}
const LOCK: DatabaseLock = { process: 7, database: 'shop_feature', user: 'shop_feature' }
const OTHER: DatabaseLock = { process: 7, database: 'shop_other', user: 'shop_other' }

/**
 * A server that notes each line once it has worked on it: on `wait NAME` until there is the file NAME, and on a copy until somebody
 * kills it, which makes it fail.
 */
const SERVER = `
[ "$1" = container ] || exit 1
IFS= read -r password
case $7 in *single-transaction*)
  touch "$FAKE/copying"
  until [ -e "$FAKE/killed" ]; do sleep 0.01; done
  echo 'copy ended' >>"$FAKE/done"
  exit 1 ;;
esac
while IFS= read -r line; do
  case $line in
    wait*) until [ -e "$FAKE/\${line#wait }" ]; do sleep 0.01; done; echo "$line" >>"$FAKE/done" ;;
    sessions) [ ! -e "$FAKE/silent" ] || exit 1
      if [ -e "$FAKE/copying" ] && [ ! -e "$FAKE/killed" ]; then echo kill; fi ;;
    kill) touch "$FAKE/killed" ;;
    --*) ;;
    *) echo "$line" >>"$FAKE/done" ;;
  esac
done`

const FLOCK = 'echo wants >>"$FAKE/locking"\nPATH=/usr/bin:/bin exec flock "$@"'

function startServer(host: ServiceHost) {
  host.install('docker', SERVER)
  host.install('flock', FLOCK)
  const { FAKE = '' } = host.systemd.env
  const at = (name: string): string => `${FAKE.slice(host.root.length)}/${name}`
  const session = localSession(host.pool)
  return {
    run: (sql: string, lock: DatabaseLock = LOCK) => session.ask(runStatements, { login: LOGIN, lock, sql }),
    drop: () => session.ask(runStatements, { login: LOGIN, lock: LOCK, sql: 'drop', isLast: true }),
    copy: () =>
      session.ask(copyDatabase, {
        login: LOGIN,
        lock: LOCK,
        from: 'shop',
        to: LOCK.database,
        owner: 'shop',
        ownerPassword: LOGIN.password,
      }),
    endCopy: () => session.ask(endCopy, { login: LOGIN, lock: LOCK, sql: 'sessions' }),
    done: () => (host.read(at('done')) ?? '').split('\n').filter(Boolean),
    /** Until scripts have asked so often for a lock. */
    asked: (times: number) => eventually(() => (host.read(at('locking')) ?? '') === 'wants\n'.repeat(times)),
    has: (name: string) => eventually(() => existsSync(`${FAKE}/${name}`)),
    put: (name: string) => host.write(at(name), ''),
    locks: () => readdirSync(host.at('.run')).toSorted(),
  }
}

test('statements of a request that is gone come to their end before others about the same database begin, and hold up no other database', async () => {
  using host = serviceHost()
  const server = startServer(host)
  const gone = server.run('wait first')
  await server.asked(2)
  const dropping = server.drop()
  await server.asked(3)
  await server.run('create other', OTHER)
  assert.deepEqual(server.done(), ['create other'])
  server.put('first')
  await Promise.all([gone, dropping])
  assert.deepEqual(server.done(), ['create other', 'wait first', 'drop'])
  assert.deepEqual(server.locks(), ['7.database.shop_other', '7.user.shop_other'])
})

test('two databases whose user is the same wait for each other', async () => {
  using host = serviceHost()
  const server = startServer(host)
  const gone = server.run('wait first')
  await server.asked(2)
  const later = server.run('grant', { ...OTHER, user: LOCK.user })
  await server.asked(4)
  server.put('first')
  await Promise.all([gone, later])
  assert.deepEqual(server.done(), ['wait first', 'grant'])
})

test('of those that wait for a database the last one gets it: what a request that is gone has sent is not done after that of the next', async () => {
  using host = serviceHost()
  const server = startServer(host)
  const holding = server.run('wait first')
  await server.asked(2)
  const gone = assert.rejects(server.run('drop'), { code: 'database.operation_busy' })
  await server.asked(3)
  const next = server.run('create')
  await server.asked(4)
  server.put('first')
  await Promise.all([holding, gone, next])
  assert.deepEqual(server.done(), ['wait first', 'create'])
})

test('a copy of a request that is gone is ended, not waited for', async () => {
  using host = serviceHost()
  const server = startServer(host)
  const gone = assert.rejects(server.copy(), { code: 'database.server_command_failed' })
  await server.has('copying')
  await server.endCopy()
  await gone
  assert.deepEqual(server.done(), ['copy ended'])
  await server.run('create')
  assert.deepEqual(server.done(), ['copy ended', 'create'])
})

test('what is copied counts as ended only where the server says who is connected', async () => {
  using host = serviceHost()
  const server = startServer(host)
  server.put('silent')
  await assert.rejects(server.endCopy(), { code: 'database.server_command_failed' })
})
