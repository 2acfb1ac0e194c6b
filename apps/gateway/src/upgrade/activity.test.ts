import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addGatewayNode } from '@fleet/testing'
import type { InSession } from '#/console/session.ts'
import { openConsole } from '#/console/world.test.ts'
import { noteBegin, noteOutcome } from './activity.ts'
import type { UpgradeState } from './state.ts'
import { begun } from './world.test.ts'

const RETURNED: UpgradeState = { ...begun, reason: { step: 'smoke', message: 'no answer' } }

/** A gateway with a Node of its own, and what its records say of upgrades. */
async function startGateway() {
  const console = await openConsole()
  const gateway = await addGatewayNode(console.store, { wireguard_ip: '10.44.0.1' })
  const updating = async (): Promise<unknown> => {
    const row = await console.store.db.selectFrom('nodes').selectAll().executeTakeFirstOrThrow()
    return row.updating
  }
  return { ...console, gateway, updating }
}

type Gateway = Awaited<ReturnType<typeof startGateway>>

const rowsOf = async ({ activities }: Pick<Gateway, 'activities'>) =>
  (await activities()).map((row) => ({
    command: row.command,
    status: row.status,
    caller: row.caller_node_id,
    target: row.target_node_id,
    exit: row.exit_code,
    error: row.error_code,
    properties: row.properties,
  }))

const CLIENT = { client: 'fleet-gateway' }

test('the Node of the gateway is shown as updating from the start of an upgrade to its end, however it ends', async () => {
  for (const [outcome, row] of [
    [begun, { status: 'succeeded', exit: 0, error: null, properties: { ...CLIENT, from: 'v1', to: 'v2' } }],
    [
      RETURNED,
      {
        status: 'failed',
        exit: 1,
        error: 'gateway.release_returned',
        properties: { ...CLIENT, from: 'v1', to: 'v2', failed_step: 'smoke', reason: 'no answer' },
      },
    ],
  ] as const) {
    await using gateway = await startGateway()
    const { id } = gateway.gateway
    await noteBegin(gateway.inSession, begun)
    assert.partialDeepStrictEqual(await gateway.updating(), {
      kind: 'gateway_release',
      release: 'v2',
      rollout: null,
    })
    await noteOutcome(gateway.inSession, outcome)
    assert.equal(await gateway.updating(), null)
    const start = { status: 'succeeded', exit: 0, error: null, properties: { ...CLIENT, release: 'v2' } }
    assert.deepEqual(await rowsOf(gateway), [
      { command: 'gateway:upgrade:begin', caller: id, target: id, ...start },
      { command: 'gateway:upgrade', caller: id, target: id, ...row },
    ])
  }
})

test('the outcome of an upgrade is recorded once, however often the last step is repeated', async () => {
  await using gateway = await startGateway()
  for (const _again of [1, 2]) {
    await noteOutcome(gateway.inSession, begun)
    await noteOutcome(gateway.inSession, { ...RETURNED, id: '00000000-0000-4000-8000-000000000002' })
  }
  assert.deepEqual(
    (await gateway.activities()).map((row) => [row.request_id, row.status]),
    [
      [begun.id, 'succeeded'],
      ['00000000-0000-4000-8000-000000000002', 'failed'],
    ],
  )
})

test('a record that was killed before it was complete is none: the outcome is stored after all', async () => {
  for (const outcome of [begun, RETURNED]) {
    await using gateway = await startGateway()
    await noteBegin(gateway.inSession, begun)
    await noteOutcome(gateway.inSession, outcome)
    const running = { status: 'running', exit_code: null, error_code: null, duration_ms: null } as const
    await gateway.store.db
      .updateTable('activities')
      .set(running)
      .where('command', '=', 'gateway:upgrade')
      .execute()
    for (const _again of [1, 2]) await noteOutcome(gateway.inSession, outcome)
    const status = outcome.reason ? 'failed' : 'succeeded'
    const code = outcome.reason ? 'gateway.release_returned' : null
    assert.deepEqual(
      (await gateway.activities()).map((row) => [row.command, row.status, row.error_code]),
      [
        ['gateway:upgrade:begin', 'succeeded', null],
        ['gateway:upgrade', 'failed', 'activity.interrupted'],
        ['gateway:upgrade', status, code],
      ],
    )
    assert.equal(await gateway.updating(), null)
  }
})

test('an outcome whose record cannot be written is an error, also of an upgrade that was rolled back', async () => {
  for (const outcome of [begun, RETURNED]) {
    await using gateway = await startGateway()
    const end = () => Promise.reject(new Error('the database is locked'))
    const failing: InSession = (work) =>
      gateway.inSession((session) => {
        const updates = { ...session.services.updates, end }
        return work({ ...session, services: { ...session.services, updates } })
      })
    await assert.rejects(noteOutcome(failing, outcome), { code: 'http.500' })
  }
})

test('a gateway without a Node of its own records how an upgrade ended, in the name of nobody', async () => {
  for (const [outcome, status] of [
    [begun, 'succeeded'],
    [RETURNED, 'failed'],
  ] as const) {
    await using console = await openConsole()
    await noteBegin(console.inSession, begun)
    assert.deepEqual(await console.activities(), [])
    await noteOutcome(console.inSession, outcome)
    const [row, ...more] = await rowsOf(console)
    assert.deepEqual(more, [])
    assert.partialDeepStrictEqual(row, { command: 'gateway:upgrade', status, caller: null, target: null })
  }
})
