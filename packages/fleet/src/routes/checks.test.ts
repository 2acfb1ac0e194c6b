import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { LeafJudgement } from '@fleet/pki'
import { repairOf } from '@fleet/contract'
import { recordSet } from '#/routes/pools/queries.ts'
import { addCluster, addNode, addRole, fakeCall, testDomains } from '@fleet/testing'
import { makeRouteChecks } from '#/routes/checks/make.ts'
import { create, destroy, startWorld, update, type World } from '#/routes/world.test.ts'
import { updateRoute } from '#/routes/queries.ts'
import { admin, ADMIN, BLOG, failing } from '#/routes/web-root/world.test.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { makeSiteSource } from '#/routes/sites.ts'
import {
  caddyVersionOf,
  featuresOf,
  liveSitesQuestion,
  renderCaddyfile,
  ROOT_FILE,
} from '#/web-server/api.ts'

interface Seen {
  readonly takesConnections?: boolean
  readonly heard?: string | undefined
  readonly served?: LeafJudgement['verdict'] | undefined
  /** The live file, with the site of the Route as it is rendered when absent. */
  readonly file?: string
}

/** `code: expected observed` of what Doctor says of a machine that is seen so. */
async function findings(world: World, seen: Seen = {}): Promise<readonly string[]> {
  const given = { takesConnections: true, heard: '10.44.0.7', served: 'good' as const, ...seen } // Narrower than its type.
  const certificates = {
    judgeFile: () => undefined,
    inspectServed: async (at: object) => {
      assert.deepEqual(at, { address: '10.44.0.7', name: 'mail.internal' })
      return given.served && ({ verdict: given.served } as LeafJudgement) // Only the verdict is read.
    },
  }
  const checks = await makeRouteChecks({
    ...world.deps,
    certificates,
    holders: testDomains(world).nodes.holders,
  }).checksOf(fakeCall(), world.node)
  const found: string[] = []
  for (const check of checks) {
    const verdict =
      check.kind === 'stored'
        ? await check.judge()
        : check.kind === 'driven'
          ? await check.judge(world.deps.nodes.sessions.overTunnel(fakeCall(), world.node))
          : check.code === 'route.caddy_mismatch'
            ? await check.judge(await liveSites(world, given.file))
            : await check.judge(given)
    if (verdict && 'expected' in verdict) found.push(`${check.code}: ${verdict.expected} ${verdict.observed}`)
  }
  return found
}

/** The sites in a file as Doctor reads them. */
async function liveSites(world: World, given: string | undefined) {
  const source = makeSiteSource(world.deps)
  const version = caddyVersionOf('v2.6.2')
  assert.ok(version)
  const settings = { features: featuresOf(version), root: ROOT_FILE }
  const file = given ?? renderCaddyfile(await source.sitesOn(world.node), settings)
  const sites = gzipSync(file).toString('base64')
  const answer = `caddy 6\nv2.6.2\nsites ${sites.length}\n${sites}`
  return liveSitesQuestion().read({ exitCode: 0, text: answer })
}

test('each thing that a Route needs has its own code [DOC-001, DOC-002, DOC-003, DOC-004, RTE-043]', async () => {
  await using world = await startWorld()
  assert.deepEqual(await findings(world), [])
  const { data } = await create(world)
  assert.deepEqual(await findings(world), [])
  assert.deepEqual(await findings(world, { takesConnections: false }), [
    'route.upstream_unreachable: takes connections does not',
  ])
  assert.deepEqual(await findings(world, { heard: '10.44.0.9' }), ['route.dns_mismatch: 10.44.0.7 10.44.0.9'])
  assert.deepEqual(await findings(world, { heard: undefined }), ['route.dns_mismatch: 10.44.0.7 none'])
  assert.deepEqual(await findings(world, { served: undefined }), ['route.certificate_mismatch: good none'])
  assert.deepEqual(await findings(world, { served: 'other_names' }), [
    'route.certificate_mismatch: good for other names',
  ])
  assert.deepEqual(await findings(world, { served: 'expired' }), ['route.certificate_mismatch: good expired'])
  assert.deepEqual(await findings(world, { file: '# somebody else\n' }), [
    'route.caddy_mismatch: built not built',
  ])
  assert.deepEqual(await findings(world, { file: `# custom-proxy route-${data.id}\nhttps://x {\n}\n` }), [
    'route.caddy_mismatch: built another site',
  ])
  // The record alone is judged then: nothing on the machine is expected of it.
  await updateRoute(world.store.db, data.id, { status: 'failed' })
  assert.deepEqual(await findings(world, { takesConnections: false, served: undefined }), [
    'route.lifecycle_not_active: active failed',
  ])
})

test('a Route of a Cluster is reported on its Router, by its record alone [DOC-007, DRF-059]', async () => {
  await using world = await startWorld()
  const { store } = world
  const edge = await addNode(store, { name: 'edge', wireguard_ip: '10.44.0.8' })
  const cluster = await addCluster(store, { tld: 'lan', state: 'active' }, [world.node, edge])
  await addRole(store, { node_id: edge.id, role: 'router' })
  const { data } = await create(world)
  const on = async (id: number): Promise<readonly string[]> => {
    const node = await world.deps.nodes.find(id)
    assert.ok(node)
    return findings({ ...world, node })
  }
  for (const status of ['pending', 'activating', 'retiring', 'failed'] as const) {
    await updateRoute(store.db, data.id, { status, node_id: null, cluster_id: cluster.id })
    assert.deepEqual(await on(edge.id), [`route.lifecycle_not_active: active ${status}`])
    assert.deepEqual(await on(world.node.id), [])
  }
})

test('a set of targets that has not ended is reported on the Router, with the words that finish it', async () => {
  await using world = await startWorld()
  const { store } = world
  const cluster = await addCluster(store, { tld: 'lan', state: 'active' }, [world.node])
  await addRole(store, { node_id: world.node.id, role: 'router' })
  const { data } = await create(world)
  await updateRoute(store.db, data.id, { node_id: null, cluster_id: cluster.id })
  const node = (await world.deps.nodes.find(world.node.id)) ?? assert.fail()
  const found = () => findings({ ...world, node })
  assert.deepEqual(await found(), [])
  const dispositions = [
    { instance_id: 8, route_id: null },
    { instance_id: 9, route_id: 3 },
  ]
  const target_set = { targets: [5, 6], dispositions, pools: [] }
  await recordSet(store.db, { route_id: data.id, target_set, created_at: '2026-01-01T00:00:00.000Z' })
  const words = '--targets 5 --targets 6 --remove 8 --reassign 9:3'
  assert.deepEqual(await found(), [`route.target_set_unfinished: finished ${words}`])
  await holding(store, fakeCall(), lockOf('route', data.id), async () => assert.deepEqual(await found(), []))
  const issue = {
    node_id: 1,
    node_name: 'edge',
    resource_name: data.domain,
    resource_id: data.id,
    observed: words,
  }
  assert.equal(repairOf('route.target_set_unfinished', issue).command, `route:target:set ${data.id} ${words}`)
  const shown = await world.routes.handlers['route:show']({ call: fakeCall(), input: { route: data.id } })
  assert.deepEqual(shown.data.target_set, {
    targets: [5, 6],
    dispositions: [
      { instance_id: 8, remove: true },
      { instance_id: 9, route_id: 3 },
    ],
  })
})

test('a private Route whose closing has not ended is reported on the Router, with the request that closes it', async () => {
  await using world = await startWorld()
  const { store } = world
  const cluster = await addCluster(store, { tld: 'lan', state: 'active' }, [world.node])
  await addRole(store, { node_id: world.node.id, role: 'router' })
  const { data } = await create(world)
  const node = (await world.deps.nodes.find(world.node.id)) ?? assert.fail()
  const foundWith = async (values: Parameters<typeof updateRoute>[2]) => {
    await updateRoute(store.db, data.id, { node_id: null, cluster_id: cluster.id, ...values })
    return findings({ ...world, node })
  }
  const code = 'route.publication_unfinished'
  for (const edge_step of ['public-withdrawn', 'ingress-firewall'] as const)
    assert.deepEqual(await foundWith({ edge_step }), [`${code}: closed ${edge_step}`])
  const issue = { node_id: 1, node_name: 'edge', resource_name: data.domain, resource_id: data.id }
  assert.equal(
    repairOf(code, { ...issue, observed: 'public-withdrawn' }).command,
    `route:update ${data.id} --publication private`,
  )
  assert.deepEqual(await foundWith({ publication: 'public' }), [])
  assert.deepEqual(await foundWith({ publication: 'private', edge_step: null }), [])
})

test('a change of a web root that stopped is reported, and not while somebody carries it out; what the command names ends it', async () => {
  await using world = await startWorld()
  const { route } = await admin(world)
  assert.deepEqual(await findings(world), [])
  failing(world, 'site')
  await assert.rejects(update(world, route, { web_root: BLOG }))
  world.broken.clear()
  const found = ['route.web_root_unfinished: finished wanted']
  assert.deepEqual(await findings(world), found)
  await holding(world.store, fakeCall(), lockOf('route', route), async () =>
    assert.deepEqual(await findings(world), []),
  )
  assert.deepEqual(await findings(world), found)
  const issue = { node_id: 1, node_name: 'web', resource_name: 'admin.example', resource_id: route }
  assert.equal(repairOf('route.web_root_unfinished', issue).command, `route:show ${route}`)
  await update(world, route, { web_root: ADMIN })
  assert.deepEqual(await findings(world), [])
})

test('each residue of a Route is reported of its Node, and gone once that converged [DOC-027]', async () => {
  await using world = await startWorld()
  world.answers = false
  for (const domain of ['one.internal', 'two.internal']) {
    const { data } = await create(world, { domain })
    await destroy(world, data.id, true)
  }
  const reported = async (): Promise<readonly string[]> => {
    const found: string[] = []
    for (const part of world.routes.checks)
      for (const check of await part.checksOf(fakeCall(), world.node)) {
        const verdict = check.kind === 'stored' ? await check.judge() : undefined
        if (verdict && 'expected' in verdict) found.push(`${part.family} ${check.code}: ${verdict.observed}`)
      }
    return found
  }
  assert.deepEqual(await reported(), [
    'node node.route_residue_retained: site and certificate of one.internal',
    'node node.route_residue_retained: site and certificate of two.internal',
  ])
  world.answers = true
  const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
  await world.routes.residue.converge(session, { force: true })
  assert.deepEqual(await reported(), [])
})
