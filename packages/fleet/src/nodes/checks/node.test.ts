import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { script } from '@fleet/shell'
import { runLocally } from '@fleet/ssh'
import { fakeCall, nodeRecord } from '@fleet/testing'
import { machineQuestionOf, type MachineView } from '#/nodes/checks/machine.ts'
import { nodeChecks } from '#/nodes/checks/node.ts'
import type { NodeRecord } from '#/nodes/record.ts'

const WELL: MachineView = {
  system: 'Linux',
  architecture: 'x86_64',
  tunnelAddresses: ['10.44.0.7'],
  freePercent: 40,
  freeInodePercent: 90,
}

/** `code expected observed` of every check that finds something. */
async function findings(node: NodeRecord, view: Partial<MachineView> = {}): Promise<string[]> {
  const found: string[] = []
  for (const check of await nodeChecks.checksOf(fakeCall(), node)) {
    assert.equal(check.resource.id, node.id)
    const verdict =
      check.kind === 'asked'
        ? await check.judge({ ...WELL, ...view })
        : check.kind === 'stored'
          ? await check.judge()
          : assert.fail('no check of a Node goes its own way')
    if (verdict && 'expected' in verdict)
      found.push(`${check.code}: ${verdict.expected}, ${verdict.observed}`)
  }
  return found
}

test('a Node that is as recorded has no finding, and each difference has its own [DRF-016, DRF-018, DRF-019, DRF-026]', async () => {
  assert.deepEqual(await findings(nodeRecord()), [])
  assert.deepEqual(await findings(nodeRecord({ status: 'failed' })), [
    'node.lifecycle_not_active: active, failed',
  ])
  assert.deepEqual(await findings(nodeRecord(), { system: 'Darwin' }), [
    'node.platform_mismatch: linux, macos',
  ])
  assert.deepEqual(await findings(nodeRecord(), { architecture: 'aarch64' }), [
    'node.architecture_mismatch: x86_64, aarch64',
  ])
  assert.deepEqual(await findings(nodeRecord(), { tunnelAddresses: ['10.44.0.8'] }), [
    'node.wireguard_ip_mismatch: 10.44.0.7, 10.44.0.8',
  ])
  assert.deepEqual(await findings(nodeRecord(), { tunnelAddresses: [] }), [
    'node.wireguard_ip_mismatch: 10.44.0.7, none',
  ])
  assert.deepEqual(await findings(nodeRecord(), { freePercent: 10 }), [])
  assert.deepEqual(await findings(nodeRecord(), { freePercent: 9 }), [
    'node.disk_low: at least 10 percent free, 9 percent free',
  ])
  assert.deepEqual(await findings(nodeRecord(), { freeInodePercent: undefined }), [])
  assert.deepEqual(await findings(nodeRecord(), { freeInodePercent: 9 }), [
    'node.disk_low: at least 10 percent of the inodes free, 9 percent of the inodes free',
  ])
})

test('a Node without roles and without a pinned key has the lifecycle check alone [DRF-028]', async () => {
  const node = nodeRecord({ ssh_host_fingerprint: null, activeRoles: [], status: 'failed' })
  const checks = await nodeChecks.checksOf(fakeCall(), node)
  assert.deepEqual(
    checks.map(({ code }) => code),
    ['node.lifecycle_not_active'],
  )
})

test('a machine answers the question as the parser reads it; anything else is no answer [DRF-027]', async () => {
  const question = machineQuestionOf(nodeRecord())
  const { exitCode, stdout } = await runLocally(script(question.source, ...(question.args ?? [])), {
    timeoutMilliseconds: 20_000,
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
  })
  const view = question.read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
  assert.ok(view && view.system.length > 0 && view.architecture.length > 0)
  assert.ok(view.freePercent >= 0 && view.freePercent <= 100)
  for (const text of [
    '',
    'system 5\nLinux',
    stdout
      .toString()
      .replace(/free \d+\n\d+/, 'free 3\nlow')
      .trimEnd(),
  ])
    assert.equal(question.read({ exitCode: 0, text }), undefined)
  assert.equal(question.read({ exitCode: 1, text: stdout.toString() }), undefined)
})

test('the fullest of the file systems counts where containers, Fleet and the user of the Node write [DRF-026]', async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-df-'))
  context.after(() => rmSync(home, { recursive: true }))
  const question = machineQuestionOf(nodeRecord({ user_home: '/data/ann' }))
  for (const full of ['/', '/var/lib/docker', '/var/lib/fleet', '/data/ann']) {
    const line = `case $place in ${full}) echo "d 100 95 5 95% $place" ;; -*|/nowhere) ;; *) echo "d 100 50 50 50% $place" ;; esac`
    const df = `#!/bin/sh\necho Filesystem\nfor place; do ${line}; done\n`
    writeFileSync(join(home, 'df'), df, { mode: 0o755 })
    const { stdout } = await runLocally(script(question.source, ...(question.args ?? [])), {
      timeoutMilliseconds: 20_000,
      cwd: '/',
      env: { PATH: `${home}:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`, LC_ALL: 'C' },
    })
    assert.equal(question.read({ exitCode: 0, text: stdout.toString().trimEnd() })?.freePercent, 5, full)
  }
})

test('the file system with the fewest free inodes counts, and one that does not count them does not', async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-df-'))
  context.after(() => rmSync(home, { recursive: true }))
  const question = machineQuestionOf(nodeRecord())
  const asked = async (inodes: string) => {
    const df = `#!/bin/sh\necho Filesystem\ncase $2 in -i) echo 'd - - - - /'; ${inodes} ;; *) echo 'd 100 50 50 50% /' ;; esac\n`
    writeFileSync(join(home, 'df'), df, { mode: 0o755 })
    const { stdout } = await runLocally(script(question.source, ...(question.args ?? [])), {
      timeoutMilliseconds: 20_000,
      cwd: '/',
      env: { PATH: `${home}:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`, LC_ALL: 'C' },
    })
    const view = question.read({ exitCode: 0, text: stdout.toString().trimEnd() })
    return [view?.freePercent, view?.freeInodePercent]
  }
  assert.deepEqual(await asked(':'), [50, undefined])
  assert.deepEqual(await asked("echo 'd 1000 970 30 97% /var'; echo 'd 1000 100 900 10% /srv'"), [50, 3])
})
