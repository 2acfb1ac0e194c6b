import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { channelAuth } from '@fleet/pusher'
import type { Row } from '@fleet/store'
import { addRole, testDomains } from '@fleet/testing'
import { type From, type Response, startTestGateway, type TestGateway } from './harness.ts'

const secrets = { granted: randomBytes(32).toString('hex'), ungranted: randomBytes(32).toString('hex') }
let fleet: TestGateway
before(async () => {
  fleet = await startTestGateway()
  for (const [name, secret] of Object.entries(secrets))
    await fleet.store.db
      .updateTable('nodes')
      .set({ agent_secret_hash: createHash('sha256').update(secret).digest('hex') })
      .where('name', '=', name)
      .execute()
})
after(() => fleet[Symbol.asyncDispose]())

interface Given {
  readonly from?: From
  readonly authorization?: string | undefined
  readonly body?: unknown
}

const ask = (method: string, path: string, given: Given = {}): Promise<Response> => {
  const { from = 'granted', body } = given
  const authorization = 'authorization' in given ? given.authorization : `Bearer ${secrets.granted}`
  return fleet.ask(method, `/api/v1/agent/${path}`, {
    from,
    ...(body === undefined ? {} : { body }),
    headers: authorization === undefined ? {} : { authorization },
  })
}
const codeOf = ({ status, json }: Response): string => `${status} ${json?.error?.code ?? ''}`

const endpoints = [
  ['GET', 'realtime'],
  ['POST', 'broadcasting/auth'],
  ['GET', 'workspaces'],
  ['GET', 'log-streams'],
] as const
const signature = { socket_id: '12.34', channel_name: 'presence-node.1', version: '0.3.0' }

for (const [method, path] of endpoints) {
  const body = method === 'POST' ? { body: signature } : {}
  test(`agent ${path} asks for address and secret, in this order [AGT-001, AGT-008, AGT-009, ACC-006, GW-012]`, async () => {
    const codes = [
      await ask(method, path, { ...body, from: 'unknown' }),
      await ask(method, path, { ...body, from: 'inactive' }),
      await ask(method, path, { ...body, authorization: undefined }),
      await ask(method, path, { ...body, authorization: `Basic ${secrets.granted}` }),
      await ask(method, path, { ...body, authorization: `Bearer ${'0'.repeat(64)}` }),
      await ask(method, path, { ...body, authorization: 'Bearer é' }),
      await ask(method, path, { ...body, from: 'gateway' }),
    ].map(codeOf)
    assert.deepEqual(codes, [
      '403 peer.identity_unknown',
      '403 peer.identity_unknown',
      '401 agent.secret_required',
      '401 agent.secret_required',
      '403 agent.secret_invalid',
      '403 agent.secret_invalid',
      '403 agent.secret_invalid',
    ])
  })

  test(`agent ${path} takes the secret of a Node from its own address alone [ACC-007]`, async () => {
    const stolen = await ask(method, path, { ...body, from: 'ungranted' })
    assert.equal(codeOf(stolen), '403 agent.secret_invalid')
    const own = await ask(method, path, {
      ...body,
      from: 'ungranted',
      authorization: `bearer ${secrets.ungranted}`,
    })
    assert.notEqual(own.status, 403)
  })
}

test('a Node that is no managed Linux Node has no agent [AGT-009]', async () => {
  const change = (values: Partial<Pick<Row<'nodes'>, 'platform' | 'ssh_host_fingerprint'>>) =>
    fleet.store.db.updateTable('nodes').set(values).where('id', '=', fleet.nodes.ungranted).execute()
  const asked = () =>
    ask('GET', 'realtime', { from: 'ungranted', authorization: `Bearer ${secrets.ungranted}` })
  const { ssh_host_fingerprint: pinned } = await fleet.store.db
    .selectFrom('nodes')
    .select('ssh_host_fingerprint')
    .where('id', '=', fleet.nodes.ungranted)
    .executeTakeFirstOrThrow()
  for (const changed of [
    { platform: 'macos' },
    { platform: null },
    { ssh_host_fingerprint: null },
  ] as const) {
    await change(changed)
    assert.equal(codeOf(await asked()), '403 agent.node_ineligible')
    await change({ platform: 'linux', ssh_host_fingerprint: pinned })
  }
  assert.equal((await asked()).status, 200)
})

test('an agent learns its own channels, and that there is nothing to join without a websocket role [AGT-002, AGT-003]', async () => {
  const { status, json } = await ask('GET', 'realtime')
  const id = fleet.nodes.granted
  assert.equal(status, 200)
  assert.deepEqual(json.data, {
    url: null,
    address: null,
    key: null,
    channel: `presence-node.${id}`,
    log_channel: `presence-node-logs.${id}`,
    member: `agent.${id}`,
  })
})

test('without a websocket role no membership is signed; bad input is reported before [AGT-004, AGT-010]', async () => {
  const channel = `presence-node.${fleet.nodes.granted}`
  const sign = (changed: object) =>
    ask('POST', 'broadcasting/auth', { body: { ...signature, channel_name: channel, ...changed } })
  for (const good of [{}, { version: null }, { version: '1.2.3-rc.1+build' }])
    assert.equal(codeOf(await sign(good)), '404 realtime.not_configured')
  const bad = [
    { socket_id: '12' },
    { socket_id: 'a.b' },
    { version: 'x'.repeat(33) },
    { version: 'a b' },
    { other: 1 },
  ]
  for (const changed of bad) assert.equal(codeOf(await sign(changed)), '422 validation.failed')
})

test('an agent gets the signature of its own two channels bare, with its secret and from its own address alone [GW-024, RT-010, RT-016]', async () => {
  const { granted, ungranted, gateway } = fleet.nodes
  const settings = { key: 'app-key', secret: 's3cret', host: 'realtime.fleet', port: 8790 }
  await addRole(fleet.store, { node_id: gateway, role: 'websocket' })
  await testDomains({ store: fleet.store }).nodes.holders.ensureSettings(gateway, 'websocket', settings)
  const app = { key: settings.key, secret: new Secret(settings.secret) }
  try {
    for (const channel_name of [`presence-node.${granted}`, `presence-node-logs.${granted}`]) {
      const body = { ...signature, channel_name }
      const signed = await ask('POST', 'broadcasting/auth', { body })
      const user_info = { kind: 'agent', node_id: granted, version: signature.version }
      const channel_data = JSON.stringify({ user_id: `agent.${granted}`, user_info })
      const auth = channelAuth(app, signature.socket_id, channel_name, channel_data)
      assert.deepEqual([signed.status, signed.json], [200, { auth, channel_data }])
      const elsewhere = [
        await ask('POST', 'broadcasting/auth', { body, from: 'ungranted' }),
        await ask('POST', 'broadcasting/auth', {
          body,
          from: 'ungranted',
          authorization: `Bearer ${secrets.ungranted}`,
        }),
        await ask('POST', 'broadcasting/auth', {
          body: { ...body, channel_name: channel_name.replace(/\d+$/, String(ungranted)) },
        }),
      ]
      assert.deepEqual(elsewhere.map(codeOf), [
        '403 agent.secret_invalid',
        '403 agent.channel_forbidden',
        '403 agent.channel_forbidden',
      ])
    }
  } finally {
    await fleet.store.db.deleteFrom('node_roles').where('role', '=', 'websocket').execute()
  }
})

test('an agent has nothing to watch where no task and no log asks for it [AGT-005, AGT-006]', async () => {
  assert.deepEqual((await ask('GET', 'workspaces')).json.data, [])
  assert.deepEqual((await ask('GET', 'log-streams')).json.data, [])
})

test('what agents ask leaves no Activity, refused or not [AGT-001]', async () => {
  const rows = () => fleet.store.db.selectFrom('activities').select('id').execute()
  const before = (await rows()).length
  await ask('GET', 'realtime')
  await ask('POST', 'broadcasting/auth', { body: signature })
  await ask('GET', 'workspaces', { authorization: undefined })
  await fleet.ask('GET', '/api/v1/nodes')
  assert.equal((await rows()).length, before + 1)
})

test('agents have no command and no tool', async () => {
  const { json } = await fleet.ask('POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    headers: { accept: 'application/json, text/event-stream' },
  })
  const names: string[] = json.result.tools.map(({ name }: { name: string }) => name)
  assert.ok(names.includes('node-list'))
  assert.deepEqual(
    names.filter((name) => name.startsWith('agent-')),
    [],
  )
})
