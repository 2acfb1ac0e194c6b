import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareFleet, type WantedNode } from './installed.ts'
import { onHosts } from './site.ts'
import { figures, stepsOf } from './steps.ts'

const started = shareFleet({ name: 'add', nodes: [] })

const STEPS = [
  'ssh-host-key',
  'bootstrap',
  'fleet-ssh',
  'machine-architecture',
  'wireguard',
  'wireguard-members',
  'tool-manager',
]
const web: WantedNode = { name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'] }

test(
  'commands alone enroll a blank host in the ten steps of an enrolment, and a repeat converges it in a part of the time [NODE-026, NODE-020]',
  onHosts,
  async (t) => {
    const fleet = started()
    const host = await fleet.blank(web)
    const enrolled = stepsOf(await fleet.enroll(host, web))
    t.diagnostic(figures('a blank host enrolled', enrolled))
    const names = enrolled.steps.map(({ name }) => name)
    assert.deepEqual(names.slice(0, STEPS.length), STEPS)
    assert.deepEqual(names.slice(-3), ['active', 'metrics-exporters', 'agent'])
    const record = await fleet.record('node:show', host.name)
    assert.deepEqual(
      [record['status'], record['roles'], record['architecture'], record['public_ssh_host']],
      ['active', ['app-dev'], (await host.run(['uname', '-m'])).trim(), host.address],
    )
    const again = stepsOf(await fleet.enroll(host, web))
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
