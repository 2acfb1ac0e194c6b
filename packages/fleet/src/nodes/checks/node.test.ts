import assert from 'node:assert/strict'
import { test } from 'node:test'
import { script } from '@fleet/shell'
import { runLocally } from '@fleet/ssh'
import { fakeCall, nodeRecord } from '@fleet/testing'
import { machineQuestion, type MachineView } from '#/nodes/checks/machine.ts'
import { nodeChecks } from '#/nodes/checks/node.ts'
import type { NodeRecord } from '#/nodes/record.ts'

const WELL: MachineView = {
  system: 'Linux',
  architecture: 'x86_64',
  tunnelAddresses: ['10.44.0.7'],
  freePercent: 40,
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
  const { exitCode, stdout } = await runLocally(script(machineQuestion.source), {
    timeoutMilliseconds: 20_000,
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
  })
  const view = machineQuestion.read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
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
    assert.equal(machineQuestion.read({ exitCode: 0, text }), undefined)
  assert.equal(machineQuestion.read({ exitCode: 1, text: stdout.toString() }), undefined)
})
