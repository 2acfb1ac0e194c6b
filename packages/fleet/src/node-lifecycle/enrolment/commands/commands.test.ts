import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run } from '@fleet/shell'
import { runLocally } from '@fleet/ssh'
import { observedReply } from '@fleet/testing'
import { observe, readObserved } from './observe.ts'
import { PREPARE, prepare, prepareAnswers, readPrepareAnswer } from './prepare.ts'

const here = (connection: string) => ({
  timeoutMilliseconds: 20_000,
  cwd: '/',
  env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/home/us', SSH_CONNECTION: connection },
})

test('a session tells system, architecture, home and the port of the sshd that it reached [NODE-052]', async () => {
  const { stdout } = await runLocally(observe(), here('192.0.2.1 50000 10.0.0.5 2222'))
  const observed = readObserved(stdout)
  assert.deepEqual([observed.home, observed.sshPort], ['/home/us', 2222])
  assert.match(observed.system, /^\w+$/)
  assert.match(observed.architecture, /^\w+$/)
  const silent = await runLocally(observe(), here(''))
  assert.equal(readObserved(silent.stdout).sshPort, undefined)
})

test('an answer that lacks a field is none; a port that is none is not known', () => {
  assert.equal(readObserved(Buffer.from(observedReply({ port: '70000' }))).sshPort, undefined)
  assert.throws(() => readObserved(Buffer.from('system 5\nLinux\n')), /is missing/)
})

test('the preparation is one script that every POSIX shell can read, with key and user as arguments [NODE-051]', async () => {
  const command = prepare({ user: 'fleet', publicKey: 'ssh-ed25519 AAAA gateway\n', lockSeconds: 9 })
  assert.match(
    command.shown,
    /^script 'prepare the machine' fleet 'ssh-ed25519 AAAA gateway' 9 acl ca-certificates /,
  )
  const { exitCode, stderr } = await runLocally(run('sh', '-n', '-c', PREPARE), here(''))
  assert.deepEqual([exitCode, stderr.toString()], [0, ''])
  for (const [, word] of PREPARE.matchAll(/\bsay ([a-z-]+)/g))
    assert.ok(readPrepareAnswer(Buffer.from(`${word}\n`)))
})

test('the preparation answers in words of its own, and anything else is none', () => {
  for (const word of prepareAnswers) assert.equal(readPrepareAnswer(Buffer.from(`${word}\n`)), word)
  for (const text of ['', 'prepare', 'E: Could not get lock'])
    assert.equal(readPrepareAnswer(Buffer.from(text)), undefined)
})
