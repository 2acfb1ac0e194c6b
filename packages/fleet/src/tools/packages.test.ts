import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import { answerText, fakeCall, nodeRecord, openTestStore } from '@fleet/testing'
import { type NodeSession, makeSession } from '#/nodes/api.ts'
import { packagesQuestion, type Wanted } from '#/tools/commands/missing-packages.ts'
import { ensurePackages } from '#/tools/packages.ts'

const WANTED: readonly Wanted[] = ['git', ['docker.io', 'docker-ce']]

interface AptMachine extends NodeSession {
  readonly asked: string[]
}

/** A machine that gives prepared answers, in order, and records what it was asked. */
function aptMachine(...answers: ReadonlyArray<string | { readonly exitCode: number }>): AptMachine {
  const asked: string[] = []
  const rest = [...answers]
  const answer = async (command: Command): Promise<CommandResult> => {
    asked.push(command.shown)
    const next = rest.shift() ?? ''
    const exitCode = typeof next === 'string' ? 0 : next.exitCode
    return {
      signal: null,
      exitCode,
      stdout: Buffer.from(typeof next === 'string' ? next : ''),
      stderr: Buffer.alloc(0),
    }
  }
  const base = { call: fakeCall(), node: nodeRecord(), login: 'root' }
  return { ...makeSession({ ...base, send: (_call, command) => answer(command) }), asked }
}

const INSTALLED = answerText({ installed: 'yes' })
const missing = (...names: readonly string[]): string => answerText({ missing: names.join('\n'), end: 'yes' })
const CHECK = `script 'find missing packages' git 'docker.io|docker-ce'`
const withStore = async (work: (store: Store) => Promise<void>): Promise<void> => {
  await using store = await openTestStore()
  await work(store)
}

test('what is there costs one question [ROLE-006]', () =>
  withStore(async (store) => {
    const session = aptMachine(missing())
    assert.equal(await ensurePackages({ store }, session, WANTED), 'unchanged')
    assert.deepEqual(session.asked, [CHECK])
  }))

test('only what is missing is installed, and looked at again', () =>
  withStore(async (store) => {
    const session = aptMachine(missing('docker.io'), INSTALLED, missing())
    assert.equal(await ensurePackages({ store }, session, WANTED), 'applied')
    assert.deepEqual(session.asked, [CHECK, `script 'install packages' docker.io`, CHECK])
  }))

test('what a release splits off is installed once the package lists of the Node know it, and counts as failed when it stays missing', () =>
  withStore(async (store) => {
    const wanted = [...WANTED, { whereKnown: ['docker-cli', 'docker-ce-cli'] }] as const
    const check = `${CHECK} 'docker-cli|docker-ce-cli?'`
    const session = aptMachine(missing('docker.io'), INSTALLED, missing('docker-cli'), INSTALLED, missing())
    assert.equal(await ensurePackages({ store }, session, wanted), 'applied')
    const installs = ['docker.io', 'docker-cli'].map((name) => `script 'install packages' ${name}`)
    assert.deepEqual(session.asked, [check, installs[0], check, installs[1], check])
    const stuck = aptMachine(
      missing('docker.io'),
      INSTALLED,
      missing('docker-cli'),
      INSTALLED,
      missing('docker-cli'),
    )
    await assert.rejects(ensurePackages({ store }, stuck, wanted), { code: 'node_role.package_failed' })
  }))

const FAILURES = [
  [{ refused: 'locked' }, 'node_role.tool_manager_locked'],
  [{ refused: 'unavailable' }, 'node_role.packages_unavailable'],
  [{ refused: 'disk_full' }, 'node_role.disk_full'],
  [{ refused: 'failed' }, 'node_role.package_failed'],
  [{ refused: 'something else' }, 'node_role.package_failed'],
  [{}, 'node_role.package_failed'],
] as const

for (const [said, code] of FAILURES) {
  test(`an installation that answers ${JSON.stringify(said)} is ${code} [ROLE-028]`, () =>
    withStore(async (store) => {
      const session = aptMachine(missing('git'), answerText(said))
      await assert.rejects(ensurePackages({ store }, session, WANTED), { code })
    }))
}

test('who keeps the package database locked is in the error', () =>
  withStore(async (store) => {
    const said = answerText({ holder: '812 dpkg', refused: 'locked' })
    await assert.rejects(ensurePackages({ store }, aptMachine(missing('git'), said), WANTED), {
      code: 'node_role.tool_manager_locked',
      message: /^On the Node, dpkg \(process 812\) kept the package database locked/,
    })
  }))

test('a package that is still missing, a script that broke and a name nobody asked for are failures', () =>
  withStore(async (store) => {
    for (const answers of [
      [missing('git'), INSTALLED, missing('git')],
      [{ exitCode: 1 }],
      ['git\n'],
      [missing('cron')],
    ])
      await assert.rejects(ensurePackages({ store }, aptMachine(...answers), WANTED), {
        code: 'node_role.package_failed',
      })
  }))

test('while somebody else installs on the Node nothing is installed, and looking needs no lock [ROLE-028]', () =>
  withStore(async (store) => {
    await using _ = await store.locks.acquire({
      name: 'node:7:tool-manager:apt',
      operation: 'tool:install',
      requestId: 'request-1',
      waitMilliseconds: 0,
      leaseSeconds: 600,
    })
    const session = aptMachine(missing('git'), INSTALLED)
    await assert.rejects(ensurePackages({ store }, session, WANTED), {
      code: 'node_role.tool_manager_locked',
    })
    assert.deepEqual(session.asked, [CHECK])
    assert.equal(await ensurePackages({ store }, aptMachine(missing()), WANTED), 'unchanged')
  }))

test('the question of Doctor is the same script, whose last newline is gone', () => {
  const { args, read } = packagesQuestion(WANTED)
  assert.deepEqual(args, ['git', 'docker.io|docker-ce'])
  assert.deepEqual(read({ exitCode: 0, text: missing('git').trimEnd() }), ['git'])
  assert.deepEqual(read({ exitCode: 0, text: missing().trimEnd() }), [])
  assert.equal(read({ exitCode: 127, text: '' }), undefined)
})
