import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asObject, type JsonObject } from '../embedded/ask.ts'
import { giveProfile, logins, reaches, tunnelAddress } from './facts.ts'
import { shareFleet, type WantedNode } from './installed.ts'
import { onHosts } from './site.ts'
import { figures, stepsOf } from './steps.ts'

const started = shareFleet({
  name: 'way',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'] },
    { name: 'bare', roles: [] },
  ],
})

const STEPS = [
  'ssh-host-key',
  'bootstrap',
  'fleet-ssh',
  'machine-architecture',
  'wireguard',
  'wireguard-members',
  'tool-manager',
]
const fresh: WantedNode = { name: 'fresh', roles: ['app-dev'], words: ['--tld', 'fresh.test'] }

const objectIn = (text: string): JsonObject => asObject(JSON.parse(text), 'an answer')

test(
  'a Node is known by the tunnel address that it calls from, and sees what it may address [GW-004, GW-009]',
  onHosts,
  async () => {
    const fleet = started()
    const web = fleet.node('web')
    const record = await fleet.record('node:show', web.name)
    await giveProfile(fleet, web)
    const listed = objectIn(await web.run(['fleet', 'node:list', '--json']))['data']
    assert.ok(Array.isArray(listed))
    assert.deepEqual(
      listed.map((row) => asObject(row, 'a Node')['id']),
      [record['id']],
    )
    const [activity] = await fleet.records('activity:list', '--caller-node', web.name, '--limit', '1')
    assert.deepEqual([activity?.['command'], activity?.['status']], ['node:list', 'succeeded'])
    assert.equal(await reaches(web, fleet.gateway.host.address, 443), false)
  },
)

test(
  'after a first role SSH is open over the tunnel alone, and the gateway logs in from its tunnel address [NODE-066, NODE-129]',
  onHosts,
  async () => {
    const fleet = started()
    const [web, bare, gateway] = [fleet.node('web'), fleet.node('bare'), fleet.gateway.host]
    const address = await tunnelAddress(fleet, web.name)
    assert.equal(await reaches(gateway, web.address, 22), false)
    assert.equal(await reaches(gateway, address, 22), true)
    assert.equal(await reaches(gateway, bare.address, 22), true)
    const before = (await logins(web)).length
    await fleet.record('node:converge', web.name, '--force')
    const own = await tunnelAddress(fleet, 'gateway')
    const since = (await logins(web)).slice(before)
    // A connection that is still warm needs no login.
    assert.deepEqual([...new Set(since)], since.length === 0 ? [] : [`fleet ${own}`])
  },
)

test(
  'a host that presents another key is refused before any command [NODE-050, NODE-077]',
  onHosts,
  async () => {
    const fleet = started()
    const web = fleet.node('web')
    await web.swapHostKey()
    // Its old connections go, as those to a machine that was replaced do.
    await web.attempt(['pkill', '--full', '^sshd: fleet'])
    const before = (await logins(web)).length
    const { code, details } = await fleet.refused('node:converge', web.name, '--force')
    assert.deepEqual([code, details['error_code']], ['node.footprint_failed', 'node.ssh_host_key_changed'])
    assert.deepEqual(details['node'], {
      id: (await fleet.record('node:show', web.name))['id'],
      name: web.name,
    })
    assert.equal((await logins(web)).length, before)
    await web.restoreHostKey()
    await fleet.record('node:converge', web.name, '--force')
  },
)

test(
  'commands alone enroll a blank host in the ten steps of an enrolment, and a repeat converges it in a part of the time [NODE-026, NODE-020]',
  onHosts,
  async (t) => {
    const fleet = started()
    const host = await fleet.blank(fresh)
    const enrolled = stepsOf(await fleet.enroll(host, fresh))
    t.diagnostic(figures('a blank host enrolled', enrolled))
    const names = enrolled.steps.map(({ name }) => name)
    assert.deepEqual(names.slice(0, STEPS.length), STEPS)
    assert.deepEqual(names.slice(-3), ['active', 'metrics-exporters', 'agent'])
    const record = await fleet.record('node:show', host.name)
    assert.deepEqual(
      [record['status'], record['roles'], record['architecture'], record['public_ssh_host']],
      ['active', ['app-dev'], (await host.run(['uname', '-m'])).trim(), host.address],
    )
    const again = stepsOf(await fleet.enroll(host, fresh))
    t.diagnostic(figures('the same request again', again))
    assert.equal((await fleet.record('node:show', host.name))['id'], record['id'])
    const { stderr, stdout } = await fleet.gateway.fleet(['node:converge', host.name])
    const converged = stepsOf(stderr)
    t.diagnostic(figures('the unchanged footprint converged', converged))
    assert.doesNotMatch(stdout, /applied/)
    // A ratio, since the machine below may be busy.
    assert.ok(converged.seconds < enrolled.seconds / 3, `${converged.seconds} s after ${enrolled.seconds} s`)
  },
)
