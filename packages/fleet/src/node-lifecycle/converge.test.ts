import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ErrorCode, fail } from '@fleet/contract'
import type { Row } from '@fleet/store'
import { fakeCall, forEachDialect, refusalOf, type RolesWorld, startRolesWorld } from '@fleet/testing'
import { type ArtifactResult, type NodeArtifact, presentNode } from '#/nodes/api.ts'

interface FakeArtifact extends NodeArtifact {
  current: string | undefined
  result: ArtifactResult
  readonly asked: boolean[]
}

/** An artifact besides the agent. */
function withArtifact(
  world: RolesWorld,
  digest: string | undefined,
  name: FakeArtifact['name'] = 'private-dns',
): FakeArtifact {
  const artifact: FakeArtifact = {
    name,
    current: digest,
    result: 'applied',
    asked: [],
    async digest() {
      return this.current
    },
    async converge(_machine, { force }) {
      this.asked.push(force)
      return this.result
    },
  }
  Object.assign(world.services, { artifacts: [artifact] })
  return artifact
}

const outcomes = async (world: RolesWorld, force?: boolean): Promise<string[]> =>
  (await world.converge(force)).data.artifacts.map(({ name, outcome, error_code }) =>
    [name, outcome, error_code].filter(Boolean).join(' '),
  )

forEachDialect(
  'only what would be installed differently is applied, or all of it with force [NODE-032, NODE-121, NODE-123]',
  async (dialect) => {
    await using world = await startRolesWorld({ dialect })
    const dns = withArtifact(world, 'one')
    assert.deepEqual(await outcomes(world), ['agent applied', 'private-dns applied'])
    world.services.calls.length = 0
    assert.deepEqual(await outcomes(world), ['agent unchanged', 'private-dns unchanged'])
    assert.deepEqual(world.services.calls, ['tunnel.requireConfigured', 'agent.digest web'])
    dns.current = 'two'
    assert.deepEqual(await outcomes(world), ['agent unchanged', 'private-dns applied'])
    assert.deepEqual(await outcomes(world, true), [
      'base unchanged',
      'tunnel applied',
      'firewall applied',
      'resolver unchanged',
      'agent unchanged',
      'private-dns applied',
    ])
    assert.deepEqual(dns.asked, [false, false, true])
  },
)

test('a Node that does not answer is a failure with its reason, also when nothing has to be applied', async () => {
  await using world = await startRolesWorld()
  assert.deepEqual(await outcomes(world), ['agent applied'])
  for (const [kind, code] of [
    ['unreachable', 'node.unreachable'],
    ['host_key_changed', 'node.ssh_host_key_changed'],
    ['authentication', 'node.authentication_failed'],
  ] as const) {
    world.pool.failBefore(() => true, kind)
    assert.equal((await refusalOf(world.converge())).code, code)
    world.pool.clearFaults()
  }
  assert.deepEqual(await outcomes(world), ['agent unchanged'])
})

test('a forced converge repairs what carries the Node before its artifacts, and Instances stay [NODE-120]', async () => {
  await using world = await startRolesWorld()
  Object.assign(world.services.owns, { instances: 1 })
  await world.converge(true)
  assert.deepEqual(world.services.calls, [
    'tunnel.requireConfigured',
    'tunnel.join web',
    'firewall.restore web',
    'tunnel.applyResolver web',
    'agent.digest web',
    'agent.converge web',
  ])
  assert.deepEqual((await outcomes(world, true)).slice(0, 4), [
    'base unchanged',
    'tunnel unchanged',
    'firewall unchanged',
    'resolver unchanged',
  ])
})

test('another key that a repair finds on the machine is published as soon as it is recorded, and only then [EV-016]', async () => {
  await using world = await startRolesWorld()
  const { store, services, web, domains } = world
  let key = 'a new key'
  const { join } = services.tunnel
  Object.assign(services.tunnel, {
    join: async (...given: Parameters<typeof join>) => {
      const { changed } = await join(...given)
      await store.db
        .updateTable('nodes')
        .set({ wireguard_public_key: key })
        .where('id', '=', web.id)
        .execute()
      return { publicKey: key, changed }
    },
  })
  const converge = async (force: boolean) => {
    const call = fakeCall()
    const ending = domains.lifecycle.handlers['node:converge']({ call, input: { node: web.id, force } })
    await ending.catch(() => undefined)
    assert.deepEqual(call.published, call.events)
    return call.events
  }
  const told = async () => {
    const node = (await domains.nodes.nodes.find(web.id)) ?? assert.fail()
    return [{ type: 'node.updated', data: presentNode(node) }]
  }
  assert.deepEqual(await converge(false), [])
  assert.deepEqual(await converge(true), await told())
  assert.deepEqual(await converge(true), [])
  key = 'yet another key'
  services.breakAt('firewall.restore', fail('firewall.apply_failed'))
  assert.deepEqual(await converge(true), await told())
})

test('a part that cannot be repaired is named with its reason, and no artifact is applied [NODE-124]', async () => {
  await using world = await startRolesWorld()
  const reason = { details: { reason: 'rules_refused' } }
  world.services.breakAt('firewall.restore', fail('firewall.apply_failed', reason))
  const { code, details } = await refusalOf(world.converge(true))
  assert.equal(code, 'node.footprint_failed')
  assert.deepEqual(details, {
    node: { id: world.web.id, name: 'web' },
    artifact: 'firewall',
    error_code: 'firewall.apply_failed',
    reason: 'rules_refused',
    step: 'firewall',
  })
  assert.ok(!world.services.calls.includes('agent.converge web'))
})

test('a Node answers only with the artifacts that it has [NODE-120]', async () => {
  await using world = await startRolesWorld()
  withArtifact(world, undefined)
  const { data } = await world.converge()
  assert.deepEqual(data, {
    node_id: world.web.id,
    artifacts: [{ name: 'agent', outcome: 'applied', error_code: null }],
  })
})

test('what is skipped says why and is tried again the next time [NODE-122]', async () => {
  await using world = await startRolesWorld()
  const dns = withArtifact(world, 'one')
  const code: ErrorCode = 'node.command_failed'
  dns.result = { skipped: code }
  assert.deepEqual(await outcomes(world), ['agent applied', `private-dns skipped ${code}`])
  const why = { message: 'It is of another user.', details: { reason: 'foreign_owner', path: '/srv/a' } }
  dns.result = { skipped: code, ...why }
  const { data } = await world.converge()
  assert.deepEqual(data.artifacts.at(-1), {
    name: 'private-dns',
    outcome: 'skipped',
    error_code: code,
    ...why,
  })
  dns.result = 'applied'
  assert.deepEqual(await outcomes(world), ['agent unchanged', 'private-dns applied'])
})

test('a failure names the artifact and its code; what was applied before it is not applied again [NODE-124]', async () => {
  await using world = await startRolesWorld()
  const dns = withArtifact(world, 'one')
  const { converge } = dns
  dns.converge = () => Promise.reject(fail('node.unreachable'))
  const refusal = await refusalOf(world.converge())
  assert.equal(refusal.code, 'node.footprint_failed')
  assert.deepEqual(refusal.details, {
    node: { id: world.web.id, name: 'web' },
    artifact: 'private-dns',
    error_code: 'node.unreachable',
    step: 'private-dns',
  })
  dns.converge = converge
  assert.deepEqual(await outcomes(world), ['agent unchanged', 'private-dns applied'])
  assert.deepEqual(world.calls[0]?.steps, [
    'agent started',
    'agent done',
    'private-dns started',
    'private-dns failed',
  ])
})

test('a web server that cannot load its sites has a code of its own, with the stage and the cause; one that was refused them is skipped and says why [NODE-122, NODE-124]', async () => {
  await using world = await startRolesWorld()
  const caddy = withArtifact(world, 'one', 'caddy')
  const { converge } = caddy
  const details = { stage: 'reload', message: 'port 443 is taken' }
  caddy.converge = () => Promise.reject(fail('app-dev.caddy_config_failed', { details }))
  const refusal = await refusalOf(world.converge())
  assert.equal(refusal.code, 'node.footprint_caddy_failed')
  assert.deepEqual(refusal.details, {
    node: { id: world.web.id, name: 'web' },
    artifact: 'caddy',
    error_code: 'app-dev.caddy_config_failed',
    ...details,
    step: 'caddy',
  })
  caddy.converge = converge
  caddy.result = { skipped: 'app-dev.caddy_config_failed', message: 'two sites serve shop.test' }
  assert.deepEqual((await world.converge()).data.artifacts.at(-1), {
    name: 'caddy',
    outcome: 'skipped',
    error_code: 'app-dev.caddy_config_failed',
    message: 'two sites serve shop.test',
  })
})

test('what ends the request is the answer, whatever was being applied; the limit of one command is not [GW-031, GW-045, NODE-124]', async () => {
  await using world = await startRolesWorld()
  const dns = withArtifact(world, 'one')
  for (const [cause, code] of [
    [fail('command.deadline_exceeded', { details: { outcome: 'deadline' } }), 'command.deadline_exceeded'],
    [fail('node.lock_lost'), 'node.lock_lost'],
    [fail('http.draining'), 'http.draining'],
    [fail('command.deadline_exceeded', { details: { outcome: 'timeout' } }), 'node.footprint_failed'],
  ] as const) {
    dns.converge = () => Promise.reject(cause)
    assert.equal((await refusalOf(world.converge())).code, code)
  }
})

test('a macOS Node, one that is not active and a fleet without a private network have no footprint [NODE-124]', async () => {
  await using world = await startRolesWorld()
  const change = (values: Partial<Pick<Row<'nodes'>, 'status' | 'platform'>>) =>
    world.store.db.updateTable('nodes').set(values).where('id', '=', world.web.id).execute()
  world.services.breakAt('tunnel.requireConfigured', fail('node.capability_missing'))
  const codes = [(await refusalOf(world.converge())).code]
  await change({ platform: 'macos' })
  codes.push((await refusalOf(world.converge())).code)
  await change({ status: 'failed' })
  codes.push((await refusalOf(world.converge())).code)
  assert.deepEqual(codes, ['node.capability_missing', 'node.converge_unsupported', 'node.not_active'])
})

test('an Instance on the Node stands against nothing [NODE-120]', async () => {
  await using world = await startRolesWorld()
  Object.assign(world.services.owns, { instances: 1 })
  assert.deepEqual(await outcomes(world), ['agent applied'])
})
