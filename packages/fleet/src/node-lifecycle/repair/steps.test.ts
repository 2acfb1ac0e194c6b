import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { SshFailure } from '@fleet/ssh'
import { noLog } from '@fleet/steps'
import { testStepList } from '@fleet/steps/testing'
import { type ScriptedPool, scriptedPool } from '@fleet/testing'
import { life, type Life, member, viewOf } from '#/node-lifecycle/life.test.ts'
import { repairNode } from '#/node-lifecycle/repair/repair.ts'
import { nodeRepair, type Repair } from '#/node-lifecycle/repair/steps.ts'
import { makeSessions, type NodeRecord } from '#/nodes/api.ts'

const begin = life()

interface Given extends Repair {
  readonly life: Life
}

const request = (given: Life, node: NodeRecord): Given => ({
  ...given,
  life: given,
  node,
  changed: new Map(),
  path: 'tunnel',
})

/** A Node with a role whose machine lost its peer, its firewall and its resolver. */
async function damaged(): Promise<{ readonly given: Life; readonly node: NodeRecord }> {
  const given = await begin()
  const node: NodeRecord = { ...(await member(given)), activeRoles: ['app-dev'] }
  const { peers, firewallOn, membersAdmitted } = given.services.world
  for (const set of [peers, firewallOn, membersAdmitted]) set.delete(node.name)
  return { given, node }
}

testStepList<Given>('node-repair', {
  list: nodeRepair,
  fresh: async () => {
    const { given, node } = await damaged()
    return request(given, node)
  },
  view: async ({ life: { services }, node }) => viewOf(services.world, node),
  log: () => noLog,
  again: async ({ life: given, node }) => request(given, node),
})

/** The same world over a pool whose machine answers at some addresses alone. */
async function reachedAt(answers: (host: string) => boolean) {
  const { given, node } = await damaged()
  const ssh: ScriptedPool = scriptedPool()
  ssh.reply('prepare the machine', 'outcome 9\nunchanged\n')
  const scan = ssh.scan.bind(ssh)
  ssh.scan = async (host, port, milliseconds) => {
    const key = await scan(host, port, milliseconds)
    if (!answers(host)) throw new SshFailure('unreachable', false)
    return key
  }
  const deps = { ...given.deps, ssh, sessions: makeSessions(ssh) }
  const repair = () => repairNode(deps, given.call, node)
  return { node, ssh, services: given.services, repair }
}

test('a Node whose tunnel is silent is repaired over its public address, which is opened to the tunnel before it is made', async () => {
  const { node, ssh, services, repair } = await reachedAt((host) => host === '192.0.2.7')
  const entries = await repair()
  assert.deepEqual(
    entries.map(({ name, outcome }) => `${name} ${outcome}`),
    ['base unchanged', 'tunnel applied', 'firewall applied', 'resolver applied'],
  )
  assert.deepEqual(
    ssh.asked.map((line) => line.replace(/ script.*/, '')),
    [`scan ${node.wireguard_ip}:22`, 'scan 192.0.2.7:22', `${node.user}@192.0.2.7:22 sudo -n -u root --`],
  )
  assert.deepEqual(
    services.calls.map((call) => call.replace(` ${node.name}`, '')),
    ['firewall.openTunnel', 'tunnel.join', 'firewall.restore', 'tunnel.applyResolver'],
  )
})

test('a Node that answers over its tunnel is not asked anywhere else', async () => {
  const { ssh, services, repair } = await reachedAt(() => true)
  await repair()
  assert.equal(ssh.asked.filter((line) => line.startsWith('scan')).length, 1)
  assert.ok(ssh.asked.every((line) => !line.includes('192.0.2.7')))
  assert.ok(!services.calls.some((call) => call.startsWith('firewall.openTunnel')))
})

test('a Node that answers nowhere is named with both addresses, and nothing is changed', async () => {
  const { node, services, repair } = await reachedAt(() => false)
  await assert.rejects(repair(), (error) => {
    assert.ok(error instanceof CodedError)
    const addresses = [`${node.wireguard_ip}:22`, '192.0.2.7:22']
    assert.equal(error.code, 'node.footprint_failed')
    assert.ok(error.message.includes(addresses.join(' or ')), error.message)
    const { artifact, error_code, addresses: tried } = error.details ?? {}
    assert.deepEqual([artifact, error_code, tried], ['access', 'node.unreachable', addresses])
    return true
  })
  assert.deepEqual(services.calls, [])
})

test('a machine with another host key gets nothing sent', async () => {
  const { node, ssh, services, repair } = await reachedAt(() => true)
  ssh.hostKey = 'SHA256:another'
  await assert.rejects(repair(), (error) => {
    assert.ok(error instanceof CodedError)
    assert.equal(error.details?.['error_code'], 'node.ssh_host_key_changed')
    assert.ok(error.message.startsWith(`The SSH host key at ${node.wireguard_ip}:22 is not the pinned one`))
    return true
  })
  assert.deepEqual([services.calls, ssh.asked.length], [[], 1])
})
