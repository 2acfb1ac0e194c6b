import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail, type RoleName } from '@fleet/contract'
import type { Call } from '@fleet/fleet'
import { addGatewayNode, FakeClock } from '@fleet/testing'
import { Report } from '#/console/report.ts'
import { openConsole } from '#/console/world.test.ts'
import { convergeOtherRoles } from './other-roles.ts'

/** A restored gateway with these roles besides its first two. Its machine is what `converge` stands for. */
async function restored(roles: readonly RoleName[], converge: (call: Call) => Promise<unknown>) {
  const console = await openConsole()
  const given = { wireguard_ip: '10.44.0.1', roles: ['gateway', 'vpn', ...roles] as const }
  const node = await addGatewayNode(console.store, given)
  const { services } = console.session
  const asked: unknown[] = []
  const handlers = {
    ...services.handlers,
    'node:converge': ({ call, input }: { readonly call: Call; readonly input: unknown }) => {
      asked.push({ input, caller: call.caller?.name })
      return converge(call) as never // Only the steps are looked at.
    },
  }
  const lines: string[] = []
  const report = new Report(new FakeClock(), (line) => lines.push(line.trim()))
  const session = { ...console.session, services: { ...services, handlers } }
  return {
    node,
    asked,
    lines,
    converge: () => convergeOtherRoles(session, report),
    [Symbol.asyncDispose]: console[Symbol.asyncDispose],
  }
}

test('a restored gateway gets its other roles back, by a converge that believes none of its records', async () => {
  await using gateway = await restored(['websocket', 'router'], async (call) => {
    call.progress({ step: 'websocket', status: 'started' })
    call.progress({ step: 'websocket', status: 'done' })
    return { data: { node_id: 1, artifacts: [] } }
  })
  await gateway.converge()
  assert.deepEqual(gateway.asked, [{ input: { node: gateway.node.id, force: true }, caller: 'gateway' }])
  assert.match(gateway.lines.join('\n'), /^done +websocket .*\nok +roles router, websocket /)
})

test('a restored gateway without other roles is converged no second time', async () => {
  await using gateway = await restored([], async () => assert.fail('there is nothing to converge'))
  await gateway.converge()
  assert.deepEqual([gateway.asked, gateway.lines], [[], []])
})

test('roles that cannot be installed again are named with the cause and the command that repeats it', async () => {
  await using gateway = await restored(['websocket'], () =>
    Promise.reject(
      fail('node.footprint_failed', { details: { artifact: 'websocket', error_code: 'tool.apt_failed' } }),
    ),
  )
  await assert.rejects(gateway.converge(), {
    name: 'Refusal',
    message:
      /^The gateway is restored and serves its fleet, .*: node\.footprint_failed .* artifact websocket .*tool\.apt_failed/,
    next: 'fleet node:converge gateway --force',
  })
  assert.match(gateway.lines.join('\n'), /^FAILED +roles websocket /)
})
