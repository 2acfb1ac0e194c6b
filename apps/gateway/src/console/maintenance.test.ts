import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { addGatewayNode } from '@fleet/testing'
import { repairDns, retryWork, sshKey } from './maintenance.ts'
import { Misuse } from './misuse.ts'
import type { ConsoleDeps } from './deps.ts'
import type { Session } from './session.ts'
import { openConsole, RELEASE } from './world.test.ts'

type DnsRepair = Awaited<ReturnType<Session['services']['network']['repairDns']>>
type Opened = Awaited<ReturnType<typeof openConsole>>

/** A console whose gateway repairs resolvers by the given function. */
const repairing = ({ deps }: Opened, repair: (name: string) => Promise<DnsRepair>): ConsoleDeps => ({
  ...deps,
  inSession: (work) =>
    deps.inSession((session) => {
      const network = {
        ...session.services.network,
        repairDns: (_call: unknown, name: string) => repair(name),
      }
      return work({ ...session, services: { ...session.services, network } })
    }),
})

const rowsOf = async (console: Opened) =>
  (await console.activities()).map((row) => [
    row.command,
    row.status,
    row.caller_node_id,
    row.exit_code,
    row.error_code,
    row.properties,
  ])

const CLIENT = { client: 'fleet-gateway' }

test('background work that failed is due at once, and the command says how much and records it', async () => {
  await using console = await openConsole()
  const { store, deps, lines } = console
  const gateway = await addGatewayNode(store)
  const kind = 'sample:push'
  const claim = async () =>
    (await store.work.claim({ kinds: [kind], leaseSeconds: 60 })) ?? assert.fail('nothing is due')
  for (const keys of [[], ['1'], ['1', '2']]) {
    for (const key of keys) {
      await store.work.add({ kind, key, payload: null, dueAt: new Date(0) })
      using failing = await claim()
      await store.transaction((db) => failing.bury(db, 'node.unreachable'))
    }
    assert.equal(await retryWork([], RELEASE, deps), 0)
    for (const _key of keys) {
      using repeated = await claim()
      await store.transaction((db) => repeated.done(db))
    }
  }
  assert.deepEqual(lines, [
    'No background work has failed.\n',
    '1 piece of background work runs again within ten seconds.\n',
    '2 pieces of background work run again within ten seconds.\n',
  ])
  assert.deepEqual(
    await rowsOf(console),
    [0, 1, 2].map((retried) => [
      'gateway:retry-work',
      'succeeded',
      gateway.id,
      0,
      null,
      { ...CLIENT, retried },
    ]),
  )
  assert.equal(console.held(), 0)
})

test('the repair of a resolver says whether one was needed; a refusal keeps its code and is recorded', async () => {
  await using console = await openConsole()
  const gateway = await addGatewayNode(console.store)
  const node = { id: 7, name: 'web-1' }
  const asked: string[] = []
  for (const changed of [true, false]) {
    const deps = repairing(console, async (name) => {
      asked.push(name)
      return { node, changed }
    })
    assert.equal(await repairDns(['web-1'], RELEASE, deps), 0)
  }
  assert.deepEqual(asked, ['web-1', 'web-1'])
  assert.deepEqual(console.lines, [
    'The resolver of web-1 was repaired.\n',
    'The resolver of web-1 needed no repair.\n',
  ])
  const refusing = repairing(console, () => Promise.reject(fail('node.dns_repair_missing')))
  await assert.rejects(repairDns(['web-9'], RELEASE, refusing), { code: 'node.dns_repair_missing' })
  const repair = (status: string, exit: number, code: string | null) =>
    ['node:repair-dns', status, gateway.id, exit, code, CLIENT] as const
  assert.deepEqual(await rowsOf(console), [
    repair('succeeded', 0, null),
    repair('succeeded', 0, null),
    repair('failed', 1, 'node.dns_repair_missing'),
  ])
  assert.equal(console.held(), 0)
})

test('the key for the root of a machine is printed alone, also before the gateway has a Node', async () => {
  await using console = await openConsole()
  assert.equal(await sshKey([], RELEASE, console.deps), 0)
  assert.deepEqual(console.lines, [`${console.session.key.publicKey}\n`])
  assert.match(console.lines[0] ?? '', /^ssh-ed25519 \S+/)
  assert.deepEqual(await console.activities(), [])
})

test('a command in the name of the Node of the gateway needs one, and says what makes it', async () => {
  await using console = await openConsole()
  for (const [command, words] of [
    [repairDns, ['web-1']],
    [retryWork, []],
  ] as const)
    await assert.rejects(command(words, RELEASE, console.deps), {
      name: 'Refusal',
      message: 'The gateway does not have its own active Node.',
      next: 'fleet-gateway install',
    })
  assert.deepEqual([await console.activities(), console.lines, console.held()], [[], [], 0])
})

test('a command with other words does nothing', async () => {
  await using console = await openConsole()
  await addGatewayNode(console.store)
  const { deps } = console
  const misused = [
    () => repairDns([], RELEASE, deps),
    () => repairDns(['web-1', 'web-2'], RELEASE, deps),
    () => retryWork(['all'], RELEASE, deps),
    () => sshKey(['web-1'], RELEASE, deps),
  ]
  for (const run of misused) await assert.rejects(run, Misuse)
  assert.deepEqual([await console.activities(), console.lines], [[], []])
})
