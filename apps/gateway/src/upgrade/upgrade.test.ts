import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { Misuse } from '#/console/misuse.ts'
import { Refusal } from '#/console/refusal.ts'
import { Report } from '#/console/report.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { readManifest } from '#/release/manifest.ts'
import type { UpgradeState } from './state.ts'
import { carryUpgrade, type UpgradeMachine } from './upgrade.ts'
import { begun } from './world.test.ts'

/** A release that was unpacked. */
function release(context: TestContext, version: string, architecture = 'x86_64'): InstalledRelease {
  const folder = join(mkdtempSync(join(tmpdir(), 'fleet-upgrade-')), version)
  context.after(() => rmSync(join(folder, '..'), { recursive: true }))
  mkdirSync(folder)
  const manifest = { product: 'fleet', format: 1, version, commit: null, architecture, files: [] }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
  return { folder, manifest: readManifest(folder) }
}

/** A machine that runs `v1`, whose unit carries out what it is started with, and everything done to it, in order. */
function machineOf(given: Partial<UpgradeMachine> = {}, reason: UpgradeState['reason'] = null) {
  const clock = new FakeClock()
  const done: string[] = []
  const lines: string[] = []
  let state: UpgradeState | undefined
  let outcome: UpgradeState | undefined
  const machine: UpgradeMachine = {
    clock,
    ids: { uuid: () => begun.id },
    takeConsole: () => {
      done.push('console')
      return { [Symbol.dispose]: () => void done.push('console given back') }
    },
    requireSpace: async () => void done.push('space'),
    releaseFolder: async (path) => path,
    currentVersion: () => 'v1',
    placeRelease: async ({ folder, manifest: { version } }) => {
      done.push(`place ${version}`)
      return folder
    },
    find: () => state,
    findOutcome: () => outcome,
    findFailure: () => undefined,
    releaseVersion: async (path) => readManifest(path).version,
    save: (saved) => {
      done.push('save')
      state = saved
    },
    isCarried: async () => true,
    start: async (folder) => {
      done.push(`start ${folder}`)
      outcome = { ...(machine.find() ?? assert.fail('the unit has no state')), reason }
      state = undefined
    },
    ...given,
  }
  const put = (saved: UpgradeState): void => {
    state = saved
  }
  const report = new Report(clock, (text) => lines.push(text.trimEnd()))
  return { machine, done, lines, report, put, saved: () => state, outcome: () => outcome }
}

test('an upgrade has its state on the disk and its release in place before the unit starts, which runs the release from before', async (context) => {
  const [own, next] = [release(context, 'v1'), release(context, 'v2')]
  const { machine, done, lines, report, outcome } = machineOf()
  assert.equal(await carryUpgrade(next.folder, own, report, machine), 0)
  assert.deepEqual(done, [
    'console',
    'space',
    'place v2',
    'save',
    'console given back',
    `start ${own.folder}`,
  ])
  assert.deepEqual(outcome(), begun)
  assert.equal(lines.at(-1), 'The gateway now runs v2.')
})

test('an upgrade that was rolled back prints the step and the reason, and its exit status is 1', async (context) => {
  const reason = { step: 'smoke', message: 'no answer' }
  const { machine, lines, report } = machineOf({}, reason)
  const [own, next] = [release(context, 'v1'), release(context, 'v2')]
  assert.equal(await carryUpgrade(next.folder, own, report, machine), 1)
  assert.equal(lines.at(-1), 'The gateway was rolled back to v1: v2 failed at smoke. no answer')
})

test('what cannot be an upgrade is refused before a release is placed or a state is saved', async (context) => {
  const own = release(context, 'v1')
  const other = release(context, 'v2', 'aarch64')
  for (const [folder, message, given] of [
    [own.folder, 'Version v1 is already running here.', {}],
    [other.folder, 'The release is for aarch64, and this machine is x86_64.', {}],
    [other.folder, 'full', { requireSpace: () => Promise.reject(new Refusal('full')) }],
  ] as const) {
    const { machine, done, report, saved } = machineOf(given)
    await assert.rejects(carryUpgrade(folder, own, report, machine), { name: 'Refusal', message })
    assert.deepEqual(
      done.filter((one) => one !== 'space'),
      ['console', 'console given back'],
    )
    assert.equal(saved(), undefined)
  }
  const { machine, done, report } = machineOf()
  await assert.rejects(carryUpgrade(undefined, own, report, machine), Misuse)
  assert.deepEqual(done, [])
})

test('an upgrade that nothing carries out is resumed, with a path or without, and one in progress is only followed', async (context) => {
  const [own, second] = [release(context, 'v1'), release(context, 'v2')]
  for (const path of [undefined, second.folder]) {
    const { machine, done, lines, report, put, outcome } = machineOf({ isCarried: async () => false })
    put({ ...begun, step: 'drain' })
    assert.equal(await carryUpgrade(path, own, report, machine), 0)
    assert.deepEqual(done, [`start ${own.folder}`])
    assert.deepEqual(lines, [
      'An upgrade to v2 was interrupted at drain; `fleet-gateway upgrade` resumes it.',
      'The gateway now runs v2.',
    ])
    assert.equal(outcome()?.to, 'v2')
  }
  const running = { ...begun, step: 'smoke' } as const
  const seen = [running, running]
  const { machine, done, lines, report } = machineOf({
    find: () => seen.shift(),
    findOutcome: () => running,
  })
  const following = carryUpgrade(undefined, own, report, machine)
  await new Promise<void>((resolve) => setImmediate(resolve))
  ;(machine.clock as FakeClock).advance(200) // The clock of `machineOf`.
  assert.equal(await following, 0)
  assert.deepEqual(done, [])
  assert.deepEqual(lines, [
    'An upgrade to v2 is in progress, at smoke.',
    'forward  smoke',
    'The gateway now runs v2.',
  ])
})

test('a path to another release than that of the upgrade in progress is refused, and why that one fails is shown', async (context) => {
  const [own, third] = [release(context, 'v1'), release(context, 'v3')]
  for (const isCarried of [true, false]) {
    const { machine, done, report, put } = machineOf({ isCarried: async () => isCarried })
    put({ ...begun, phase: 'back', step: 'records' })
    await assert.rejects(carryUpgrade(third.folder, own, report, machine), {
      name: 'Refusal',
      message: 'An upgrade to v2 has not ended, at records; this release is v3.',
      next: '`fleet-gateway upgrade` without a path resumes and shows that upgrade.',
    })
    assert.deepEqual(done, [])
  }
  const { machine, lines, report, put } = machineOf({
    isCarried: async () => false,
    findFailure: ({ id, step }) => ({ id, step, message: 'no server' }),
  })
  put({ ...begun, phase: 'back', step: 'records' })
  await carryUpgrade(undefined, own, report, machine)
  assert.equal(
    lines[0],
    'An upgrade to v2 was interrupted at records; `fleet-gateway upgrade` resumes it. That failed the last time: no server (journalctl -u fleet-gateway-upgrade.service)',
  )
})
