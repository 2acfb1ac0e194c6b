import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { answerText, localPool, localSession, observedReply } from '@fleet/testing'
import { commandOf, type NodeSession } from '#/nodes/api.ts'
import { observe } from './observe.ts'
import { prepare } from './prepare.ts'

const here = (connection: string): NodeSession =>
  localSession(localPool({ home: '/home', env: { SSH_CONNECTION: connection } }))

test('a session reports system, architecture, home and the port of the sshd that it reached [NODE-052]', async () => {
  const observed = await here('192.0.2.1 50000 10.0.0.5 2222').ask(observe, undefined)
  assert.deepEqual([observed.home, observed.sshPort], ['/home', 2222])
  assert.match(observed.system, /^\w+$/)
  assert.match(observed.architecture, /^\w+$/)
  assert.equal((await here('').ask(observe, undefined)).sshPort, undefined)
})

/** A machine that answers this. */
const answering = (text: string): NodeSession =>
  localSession({
    ...localPool({ home: '/' }),
    run: async () => ({ exitCode: 0, signal: null, stdout: Buffer.from(text), stderr: Buffer.alloc(0) }),
  })

test('an answer that lacks a field is none; a port that is none is not known', async () => {
  const strange = await answering(observedReply({ port: '70000' })).ask(observe, undefined)
  assert.equal(strange.sshPort, undefined)
  await assert.rejects(answering(answerText({ system: 'Linux' })).ask(observe, undefined), {
    code: 'node.command_failed',
  })
})

const whereIs = (program: string): string =>
  ['/bin', '/usr/bin'].map((folder) => join(folder, program)).find(existsSync) ?? ''

const ADMITTED = { user: 'fleet', publicKey: 'ssh-ed25519 AAAA gateway\n', mayTakeOver: false }

test('the preparation is one script with user and key as arguments [NODE-051]', () => {
  assert.match(
    commandOf(prepare, ADMITTED).shown,
    /^script 'prepare the machine' fleet 'ssh-ed25519 AAAA gateway' 120 no acl ca-certificates /,
  )
})

test('a machine that is no Debian, or whose package manager is in use, is refused by name', async () => {
  const refusing = (refused: string) => answering(answerText({ refused })).ask(prepare, ADMITTED)
  await assert.rejects(refusing('unsupported-system'), {
    code: 'node.bootstrap_failed',
    message: /no apt and dpkg/,
    details: { node: { id: 7, name: 'web-1' }, reason: 'unsupported-system' },
  })
  await assert.rejects(refusing('packages-locked'), {
    details: {
      node: { id: 7, name: 'web-1' },
      reason: 'packages-locked',
      error_code: 'node.tool_manager_locked',
    },
  })
})

test('a machine without apt answers so itself, whatever the shell prints', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-prepare-'))
  t.after(() => rmSync(home, { recursive: true }))
  // Only what the script needs up to there.
  for (const name of ['sh', 'mktemp', 'rm', 'sync', 'wc']) symlinkSync(whereIs(name), join(home, name))
  const session = localSession(localPool({ home, env: { PATH: home } }))
  await assert.rejects(session.ask(prepare, ADMITTED), {
    details: { node: { id: 7, name: 'web-1' }, reason: 'unsupported-system' },
  })
})
