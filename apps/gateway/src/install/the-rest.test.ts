import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail, type RoleName } from '@fleet/contract'
import type { Call } from '@fleet/fleet'
import { addCluster, addGatewayNode, FakeClock } from '@fleet/testing'
import { Report } from '#/console/report.ts'
import { openConsole } from '#/console/world.test.ts'
import { convergeTheRest } from './the-rest.ts'

type Repeated = 'node:converge' | 'node:role:add' | 'cluster:router:set'

/** A restored gateway with these roles besides its first two. Its machine is what `carryOut` stands for. */
async function restored(
  roles: readonly RoleName[],
  carryOut: (operation: Repeated, call: Call) => void = () => undefined,
) {
  const console = await openConsole()
  const given = { wireguard_ip: '10.44.0.1', roles: ['gateway', 'vpn', ...roles] as const }
  const node = await addGatewayNode(console.store, given)
  await addCluster(console.store, {}, [node])
  const { services } = console.session
  const asked: unknown[] = []
  const standIn =
    (operation: Repeated) =>
    async ({ call, input }: { readonly call: Call; readonly input: unknown }) => {
      asked.push([operation, input, call.caller?.name])
      carryOut(operation, call)
      return { data: {} } as never // Only the steps are looked at.
    }
  const handlers = {
    ...services.handlers,
    'node:converge': standIn('node:converge'),
    'node:role:add': standIn('node:role:add'),
    'cluster:router:set': standIn('cluster:router:set'),
  }
  const lines: string[] = []
  const report = new Report(new FakeClock(), (line) => lines.push(line.trim()))
  const session = { ...console.session, services: { ...services, handlers } }
  return {
    node,
    asked,
    lines,
    converge: () => convergeTheRest(session, report),
    [Symbol.asyncDispose]: console[Symbol.asyncDispose],
  }
}

test('a restored gateway gets its other roles back, a Router by its Cluster, then whatever else its machine had, as if none had been there', async () => {
  await using gateway = await restored(['router', 'websocket'], (operation, call) => {
    if (operation !== 'node:role:add') return
    call.progress({ step: 'certificate', status: 'started' })
    call.progress({ step: 'certificate', status: 'done' })
  })
  await gateway.converge()
  const node = gateway.node.id
  assert.deepEqual(gateway.asked, [
    ['cluster:router:set', { cluster: 1, node }, 'gateway'],
    ['node:role:add', { node, role: 'websocket', converge_existing: true }, 'gateway'],
    ['node:converge', { node, force: true }, 'gateway'],
  ])
  assert.match(
    gateway.lines.join('\n'),
    /^ok +role router .*\ndone +certificate .*\nok +role websocket .*\nok +everything else /,
  )
})

test('what cannot be installed again is named with its cause and the command that repeats it, after all the others', async () => {
  await using gateway = await restored(['router', 'websocket'], (operation) => {
    if (operation === 'cluster:router:set') throw new TypeError('a defect')
    if (operation === 'node:role:add')
      throw fail('node_role.convergence_failed', {
        details: { step: 'packages', error_code: 'tool.apt_failed' },
      })
  })
  await assert.rejects(gateway.converge(), {
    name: 'Refusal',
    message:
      /^The gateway is restored and serves its fleet, .* role router: a defect; role websocket: node_role\.convergence_failed .* step packages .*tool\.apt_failed/,
    next: 'fleet cluster:router:set 1 gateway && fleet node:role:add gateway websocket --converge-existing',
  })
  assert.match(
    gateway.lines.join('\n'),
    /^FAILED +role router .*\nFAILED +role websocket .*\nok +everything else /,
  )
})
