import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import type { Call } from '@fleet/fleet'
import { addGatewayNode, FakeClock } from '@fleet/testing'
import { Report } from '#/console/report.ts'
import { openConsole } from '#/console/world.test.ts'
import { provisionFirstNode } from './first-node.ts'

const FINGERPRINT = 'SHA256:kvETTshYNZYxx55xXK7MPwDR6ofixtbIE+Vbjnu5Xac'

type AddNode = (call: Call, input: unknown) => Promise<never>

/** A gateway that is being installed. Enrolment itself is a machine's work, which `add` stands for. */
async function startInstallation(add: AddNode) {
  const console = await openConsole()
  const { services } = console.session
  const handlers = {
    ...services.handlers,
    'node:add': ({ call, input }: { readonly call: Call; readonly input: unknown }) => add(call, input),
  }
  return { ...console, session: { ...console.session, services: { ...services, handlers } } }
}

const reportTo = (lines: string[], clock = new FakeClock()): Report =>
  new Report(clock, (line) => lines.push(line.trimEnd()))

test('the machine of the gateway is enrolled by the operation of every other one, with what was typed and its own host key [ACT-015]', async () => {
  const seen: unknown[] = []
  await using installation = await startInstallation(async (call, input) => {
    seen.push(call.caller, input)
    throw fail('node.not_found')
  })
  const { session } = installation
  const options = { name: 'gateway', publicHost: '192.0.2.1', publicPort: 2222 }
  const given = { session, fingerprint: FINGERPRINT, report: reportTo([]) }
  await assert.rejects(provisionFirstNode({ ...given, options }), { name: 'Refusal' })
  const { store } = installation
  const node = await addGatewayNode(store, { wireguard_ip: '10.44.0.1' })
  const repeated = { name: 'gateway', address: '10.44.0.1', fleetUser: 'ops' }
  await assert.rejects(provisionFirstNode({ ...given, options: repeated }), { name: 'Refusal' })
  const same = { name: 'gateway', host_key_fingerprint: FINGERPRINT, user: 'root', roles: ['gateway', 'vpn'] }
  assert.partialDeepStrictEqual(seen[1], { ...same, public_ssh_host: '192.0.2.1', public_ssh_port: 2222 })
  assert.partialDeepStrictEqual(seen[3], { ...same, fleet_user: 'ops', wireguard_ip: '10.44.0.1' })
  // Nobody is there for the first Node; later the gateway acts in its own name.
  assert.notDeepEqual(seen[0], seen[2])
  assert.deepEqual(seen[2], { id: node.id, name: 'gateway', address: '10.44.0.1', isGateway: true })
  const recorded = (await installation.activities()).map((row) => [
    row.command,
    row.status,
    row.caller_node_id,
    row.exit_code,
  ])
  assert.deepEqual(recorded, [
    ['node:add', 'failed', null, 1],
    ['node:add', 'failed', node.id, 1],
  ])
})

test('each step of the enrolment is printed once it has ended, with its own time', async () => {
  const lines: string[] = []
  const clock = new FakeClock()
  await using installation = await startInstallation(async (call) => {
    call.progress({ step: 'packages', status: 'started' })
    clock.advance(2000)
    call.progress({ step: 'packages', status: 'done' })
    call.progress({ step: 'tunnel', status: 'started' })
    clock.advance(500)
    call.progress({ step: 'tunnel', status: 'failed' })
    throw fail('node.not_found')
  })
  const { session } = installation
  const report = reportTo(lines, clock)
  await assert.rejects(
    provisionFirstNode({ session, options: { name: 'gateway' }, fingerprint: FINGERPRINT, report }),
  )
  assert.deepEqual(
    lines.map((line) => line.trim().split(/\s+/)),
    [
      ['done', 'packages', '2.0', 's'],
      ['failed', 'tunnel', '0.5', 's'],
    ],
  )
})

test('an enrolment that fails after public SSH was closed says so, and one that fails before does not', async () => {
  for (const status of ['done', 'failed'] as const) {
    const lines: string[] = []
    await using installation = await startInstallation(async (call) => {
      call.progress({ step: 'role:public-ssh', status: 'started' })
      call.progress({ step: 'role:public-ssh', status })
      throw fail('node.not_found')
    })
    const { session } = installation
    const given = { session, options: { name: 'gateway' }, fingerprint: FINGERPRINT, report: reportTo(lines) }
    await assert.rejects(provisionFirstNode(given))
    const closed = ['Public SSH of this machine is now closed; this session stays open.']
    assert.deepEqual(lines.slice(1), status === 'done' ? closed : [])
  }
})

test('a hub that does not start names the log and what chooses another port', async () => {
  await using installation = await startInstallation(async () => {
    throw fail('vpn.server_config_install_failed')
  })
  const { session } = installation
  const given = { session, options: { name: 'gateway' }, fingerprint: FINGERPRINT, report: reportTo([]) }
  await assert.rejects(provisionFirstNode(given), {
    next: 'journalctl -u wg-quick@fleet -n 20 shows why, ss -lnup who has which UDP port; --port PORT chooses another for the network.',
  })
})

test('what the firewall closed is printed by lines where the enrolment fails after it', async () => {
  const lines: string[] = []
  const said = ['It closes 80/tcp (nginx):', 'fleet node:firewall:allow gateway nginx-80 80']
  await using installation = await startInstallation(async () => {
    throw fail('node.not_found', { details: { step: 'wireguard', follow_up: said } })
  })
  const { session } = installation
  const given = { session, options: { name: 'gateway' }, fingerprint: FINGERPRINT, report: reportTo(lines) }
  await assert.rejects(provisionFirstNode(given), { message: /step wireguard$/ })
  assert.deepEqual(lines, [said.join('\n')])
})

test('an error with a code is told with its code, its text and its details, and a defect as it is', async () => {
  const reasons = [
    fail('node.unreachable', {
      details: { node: { id: 1 }, host: '192.0.2.1', ports: [22, 23], step: 'connect' },
    }),
    new TypeError('a defect'),
  ]
  await using installation = await startInstallation(async () => {
    throw reasons.shift() ?? new Error('a third try')
  })
  const given = {
    session: installation.session,
    options: { name: 'gateway' },
    fingerprint: FINGERPRINT,
    report: reportTo([]),
  }
  await assert.rejects(provisionFirstNode(given), {
    name: 'Refusal',
    message: /^node\.unreachable {2}\S.* {2}host 192\.0\.2\.1 {2}ports \[22,23\] {2}step connect$/,
  })
  await assert.rejects(provisionFirstNode(given), { name: 'TypeError', message: 'a defect' })
})
