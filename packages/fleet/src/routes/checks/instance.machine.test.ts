import assert from 'node:assert/strict'
import { rmSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { script } from '@fleet/shell'
import {
  addCluster,
  addNode,
  addRole,
  fakeCall,
  localSession,
  serviceHost,
  testDomains,
} from '@fleet/testing'
import type { Call } from '#/call.ts'
import { judgeLeafFile, leafFile } from '#/certificates/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { makeApplicationUrlArtifact } from '#/routes/application-url-artifact.ts'
import { applicationUrls } from '#/routes/application-urls.ts'
import type { RoutingCheckDeps } from '#/routes/checks/examined.ts'
import { forgetSet, recordSet } from '#/routes/pools/queries.ts'
import { makeRoutingChecks } from '#/routes/checks/instance.ts'
import { updateRoute } from '#/routes/queries.ts'
import { makeSiteSource } from '#/routes/sites.ts'
import { addApp, createFor, createInstance, startWorld, type World } from '#/routes/world.test.ts'
import { caddyVersionOf, featuresOf, renderCaddyfile, ROOT_FILE } from '#/web-server/api.ts'

const CADDYFILE = 'etc/caddy/Caddyfile'
const ADDRESS = '10.44.0.7'

/** A machine whose root is a folder here, and that has what the records say of every Node. */
async function startMachine(world: World) {
  const host = serviceHost()
  const directory = host.at('ca')
  const authority = await ensureRoot({ directory, clock: systemClock, name: 'Fleet root' })
  host.install('caddy', 'echo v2.6.2')
  // Every account is that of the web server: whoever runs the tests cannot give files away.
  host.install('stat', 'shift 3; for file; do printf "600 caddy %s\\n" "$file"; done')
  host.install('getent', 'cat "$FAKE/answers"')
  const answers = new Map<string, string>()
  const silent = new Set<number>()
  const asked: string[] = []
  const deps: RoutingCheckDeps = {
    ...world.deps,
    root: host.root,
    nodes: {
      ...world.deps.nodes,
      answers: async (_call, { id }) => !silent.has(id),
      sessions: {
        ...world.deps.nodes.sessions,
        overTunnel: (call, node) => {
          asked.push(node.name)
          return localSession(host.pool, { node, call })
        },
      },
    },
    certificates: {
      judgeFile: (files, leaf) =>
        judgeLeafFile(files, leaf, { root: authority.certificate, now: new Date(), folder: host.root }),
    },
    dns: { answersTo: async () => answers },
    holders: testDomains({ store: world.store, ssh: host.pool }).nodes.holders,
    firewall: { memberCheck: async () => [] },
  }
  const source = makeSiteSource({ ...world.deps })
  /** What `node:converge` publishes. */
  const converge = async (...nodes: readonly NodeRecord[]): Promise<void> => {
    const byNode = await Promise.all(nodes.map((node) => source.sitesOn(node)))
    const sites = byNode.flat()
    const version = caddyVersionOf('v2.6.2')
    assert.ok(version)
    const settings = { features: featuresOf(version), root: ROOT_FILE }
    host.write(CADDYFILE, byNode.map((own) => renderCaddyfile(own, settings)).join('\n'))
    for (const { tls, domain } of sites)
      if (tls.kind === 'leaf') {
        const leaf = await issueLeaf(authority, { clock: systemClock, names: [domain], addresses: [] })
        host.write(tls.file, leaf.key.reveal() + leaf.certificate, 0o600)
      }
    for (const { domain } of sites) answers.set(domain, ADDRESS)
    say(answers)
    const artifact = makeApplicationUrlArtifact({
      store: world.store,
      applicationUrls: {
        write: (session, url) =>
          applicationUrls.write(session, { ...url, checkoutPath: host.at(url.checkoutPath) }),
      },
    })
    for (const node of nodes) await artifact.converge(localSession(host.pool, { node }), { force: true })
  }
  const say = (said: ReadonlyMap<string, string>): void =>
    host.write('answers', [...said].map(([name, address]) => `${address} STREAM ${name}\n`).join(''))
  return { host, deps, asked, silent, say, converge, [Symbol.dispose]: () => host[Symbol.dispose]() }
}
type Machine = Awaited<ReturnType<typeof startMachine>>

/** `code: expected, observed, the directory and the Node to repair`, in one run of Doctor. */
async function findings(
  { deps, host }: Machine,
  nodes: readonly NodeRecord[],
  call: Call = fakeCall(),
): Promise<readonly string[]> {
  const family = makeRoutingChecks(deps)
  const found: string[] = []
  for (const node of nodes) {
    const session = localSession(host.pool, { node, call })
    const printed = new Map<unknown, unknown>()
    const checks = await family.checksOf(call, node)
    // Doctor judges what differs once more by checks that are made anew, with the answer that it has.
    const anew = await family.checksOf(call, node)
    for (const [at, check] of checks.entries()) {
      const verdict =
        check.kind === 'stored'
          ? await check.judge()
          : check.kind === 'driven'
            ? await check.judge(session)
            : await againAt(at).judge(await answerOf(check.question))
      function againAt(index: number) {
        const again = anew[index]
        assert.ok(again?.kind === 'asked' && again.code === check.code)
        return again
      }
      async function answerOf(question: Extract<typeof check, { kind: 'asked' }>['question']) {
        const known = printed.get(question)
        if (known !== undefined) return known
        const { exitCode, stdout } = await session.run(script(question.source, ...(question.args ?? [])))
        const answer = question.read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
        assert.ok(answer, stdout.toString())
        printed.set(question, answer)
        return answer
      }
      if (verdict && 'expected' in verdict) {
        const { expected, observed, directory, relatedNodeId } = verdict
        const also = [directory, relatedNodeId].filter((value) => value !== undefined).join(' ')
        found.push(`${check.code}: ${expected}, ${observed}${also === '' ? '' : `, ${also}`}`)
      }
    }
    assert.ok(printed.size <= 1, 'one question for each Node')
  }
  return found
}

/** The Instance of a Project whose checkout is an application of the first framework. */
async function shop(world: World, { host }: Machine) {
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id, branch: 'main' })
  const { checkout_path: checkout } = data
  for (const path of ['public/index.php', 'admin/public/index.php', 'storage/app/public/photo.jpg'])
    host.write(`${checkout}/${path}`, '')
  for (const directory of ['', 'admin'])
    for (const [name, text] of [
      ['artisan', ''],
      ['.env', 'APP_NAME=Shop\nAPP_URL="https://old.example"\n'],
    ] as const)
      host.write(`${checkout}/${directory}/${name}`, text)
  return { instance: data.id, route: data.route?.id ?? 0, checkout }
}

const edit = ({ host }: Machine, path: string, from: string | RegExp, to: string): void => {
  const text = host.read(path) ?? ''
  assert.match(text, typeof from === 'string' ? new RegExp(from) : from)
  host.write(path, text.replace(from, to))
}

test('each part of the path to an Instance has its own code, and a converge clears it [DOC-010, DOC-011, DOC-012, DOC-014]', async () => {
  await using world = await startWorld()
  using machine = await startMachine(world)
  const { host } = machine
  const { node } = world
  const hub = await addNode(world.store, { name: 'hub', wireguard_ip: '10.44.0.2', roles: ['vpn'] })
  const { checkout, instance } = await shop(world, machine)
  await createFor(world, instance, { domain: 'admin.example', web_root: 'admin/public' })
  await machine.converge(node)
  assert.deepEqual(await findings(machine, [node]), [])

  const leaf = leafFile(`app-instance-${instance}`)
  const mutations: ReadonlyArray<readonly [harm: () => unknown, found: readonly string[]]> = [
    [
      () => edit(machine, CADDYFILE, 'encode zstd gzip', 'encode gzip'),
      ['instance.workload_caddy_mismatch: built, another site: admin.example'],
    ],
    [
      () => host.write(CADDYFILE, '# a file of somebody else\n'),
      [
        'instance.workload_caddy_mismatch: built, not built: shop.test',
        'instance.workload_caddy_mismatch: built, not built: admin.example',
      ],
    ],
    [() => rmSync(host.at(leaf)), ['instance.private_certificate_mismatch: good, none: shop.test']],
    [
      () => host.write(leaf, host.read(leafFile('route-2')) ?? ''),
      ['instance.private_certificate_mismatch: good, for other names: shop.test'],
    ],
    [
      () => edit(machine, leaf, /-----BEGIN [A-Z ]*PRIVATE KEY[^]*KEY-----/, ''),
      ['instance.private_certificate_mismatch: good, unreadable: shop.test'],
    ],
    [
      () => host.write(`${leaf}.pending`, ''),
      ['instance.private_certificate_mismatch: good, none: shop.test'],
    ],
    [
      () =>
        machine.say(
          new Map([
            ['shop.test', '10.44.0.9'],
            ['admin.example', ADDRESS],
          ]),
        ),
      [`instance.private_dns_mismatch: ${ADDRESS}, 10.44.0.9: shop.test, ${hub.id}`],
    ],
    [
      () => machine.say(new Map([['shop.test', ADDRESS]])),
      [`instance.private_dns_mismatch: ${ADDRESS}, none: admin.example, ${hub.id}`],
    ],
    [
      () => edit(machine, `${checkout}/.env`, 'shop.test', 'shop.example'),
      ['instance.laravel_url_mismatch: URL of the Route, another URL, .'],
    ],
    [
      () => edit(machine, `${checkout}/admin/.env`, 'admin.example', 'shop.test'),
      ['instance.laravel_url_mismatch: URL of the Route, another URL, admin'],
    ],
  ]
  for (const [harm, expected] of mutations) {
    await harm()
    assert.deepEqual(await findings(machine, [node]), expected)
    rmSync(host.at(`${leaf}.pending`), { force: true })
    await machine.converge(node)
    assert.deepEqual(await findings(machine, [node]), [])
  }

  const link = host.at(`${checkout}/admin/public/passwd.txt`)
  symlinkSync('/etc/passwd', link)
  symlinkSync('../storage/app/public', host.at(`${checkout}/public/storage`))
  const linked = (count: number, directory: string) =>
    `instance.web_root_link: no link, ${count}, ${directory}`
  assert.deepEqual(await findings(machine, [node]), [linked(1, 'admin/public')])
  symlinkSync('/etc', host.at(`${checkout}/storage/app/public/etc`))
  assert.deepEqual(await findings(machine, [node]), [linked(1, 'public'), linked(1, 'admin/public')])
  rmSync(link)
  rmSync(host.at(`${checkout}/storage/app/public/etc`))
  assert.deepEqual(await findings(machine, [node]), [])

  // Links lead to files of somebody else, of which nothing is reported.
  rmSync(host.at(`${checkout}/.env`))
  host.write('elsewhere/.env', 'APP_URL=https://secret.example\n')
  symlinkSync(host.at('elsewhere/.env'), host.at(`${checkout}/.env`))
  assert.deepEqual(await findings(machine, [node]), [])
})

test('a hand edit of the site of a production Instance has a code of its own, and a converge clears it [DRF-044]', async () => {
  await using world = await startWorld()
  using machine = await startMachine(world)
  const { node, store } = world
  await shop(world, machine)
  const production = {
    environment: 'production',
    production_user: 'shop',
    production_home: '/home/shop',
  } as const
  await store.db.updateTable('instances').set(production).execute()
  await machine.converge(node)
  assert.deepEqual(await findings(machine, [node]), [])
  edit(machine, CADDYFILE, 'encode zstd gzip', 'encode gzip')
  assert.deepEqual(await findings(machine, [node]), [
    'instance.caddy_projection_mismatch: built, another site: shop.test',
  ])
  await machine.converge(node)
  assert.deepEqual(await findings(machine, [node]), [])
})

/** The Instance is behind the Router `edge` of an active Cluster. */
async function office(world: World, machine: Machine) {
  const { store } = world
  const edge = await addNode(store, { name: 'edge', wireguard_ip: '10.44.0.8' })
  const cluster = await addCluster(store, { tld: 'lan', state: 'active' }, [world.node, edge])
  await addRole(store, { node_id: edge.id, role: 'router' })
  const [node, router] = [await nodeOf(world, world.node.id), await nodeOf(world, edge.id)]
  const made = await shop(world, machine)
  await machine.converge(node, router)
  return { ...made, node, router, cluster }
}

for (const place of ['workload', 'router'] as const)
  test(`a published Route is healthy on an ingress that is the ${place}, and a hand edit there is found`, async () => {
    await using world = await startWorld()
    using machine = await startMachine(world)
    const { node, router, route } = await office(world, machine)
    const { store } = world
    await store.db.updateTable('instances').set({ environment: 'production' }).execute()
    await addRole(store, { node_id: place === 'router' ? router.id : node.id, role: 'ingress' })
    await updateRoute(store.db, route, { publication: 'public', edge_step: 'ingress-firewall' })
    await machine.converge(node, router)
    assert.match(machine.host.read(CADDYFILE) ?? '', /^# ingress /m)
    assert.deepEqual(await findings(machine, [node, router]), [])

    const code = place === 'router' ? 'router_caddy_mismatch' : 'workload_caddy_mismatch'
    const also = place === 'router' ? `, ${router.id}` : ''
    edit(machine, CADDYFILE, /(^# ingress [^]*?bind) /m, '$1 192.0.2.7 ')
    assert.deepEqual(await findings(machine, [node]), [
      `instance.${code}: built, another site: shop.lan${also}`,
    ])
  })

test('a private site on an ingress is healthy with its guard, and found without it', async () => {
  await using world = await startWorld()
  using machine = await startMachine(world)
  const { node, router } = await office(world, machine)
  await addRole(world.store, { node_id: router.id, role: 'ingress' })
  await machine.converge(node, router)
  assert.deepEqual(await findings(machine, [node]), [])
  edit(machine, CADDYFILE, 'abort @outside', '# abort @outside')
  assert.deepEqual(await findings(machine, [node]), [
    `instance.router_caddy_mismatch: built, another site: shop.lan, ${router.id}`,
  ])
})

async function nodeOf({ deps }: World, id: number): Promise<NodeRecord> {
  const found = await deps.nodes.find(id)
  assert.ok(found)
  return found
}

test('the Router before an Instance is asked once in a run, and names itself as what to repair [DOC-009, DOC-015, DOC-023]', async () => {
  await using world = await startWorld()
  using machine = await startMachine(world)
  const { host } = machine
  const { node, router, route } = await office(world, machine)
  assert.deepEqual(await findings(machine, [node, router]), [])
  assert.deepEqual(machine.asked, ['edge'])

  const leaf = leafFile(`route-${route}-router`)
  const mutations: ReadonlyArray<readonly [harm: () => unknown, found: readonly string[]]> = [
    [
      () => edit(machine, CADDYFILE, 'lb_policy round_robin', 'lb_policy first'),
      [`instance.router_caddy_mismatch: built, another site: shop.lan, ${router.id}`],
    ],
    [
      () => edit(machine, CADDYFILE, 'reverse_proxy 10.44.0.7{', 'reverse_proxy 10.44.0.66{'),
      [`instance.target_set_mismatch: 1 targets of the records, other targets: shop.lan, ${router.id}`],
    ],
    [
      () => rmSync(host.at(leaf)),
      [`instance.private_certificate_mismatch: good, none on the Router: shop.lan, ${router.id}`],
    ],
  ]
  for (const [harm, expected] of mutations) {
    await harm()
    assert.deepEqual(await findings(machine, [node]), expected)
    await machine.converge(node, router)
    assert.deepEqual(await findings(machine, [node]), [])
  }

  machine.silent.add(router.id)
  edit(machine, CADDYFILE, 'lb_policy round_robin', 'lb_policy first')
  assert.deepEqual(await findings(machine, [node]), [
    `instance.related_node_unverifiable: answers, no answer, ${router.id}`,
  ])
})

test('a Route of another scope and an Instance without its own Route are read from the records alone [DOC-008, DOC-016]', async () => {
  await using world = await startWorld()
  using machine = await startMachine(world)
  const { node, route, cluster, instance } = await office(world, machine)
  const { db } = world.store
  await updateRoute(db, route, { node_id: node.id, cluster_id: null })
  const [scope] = await findings(machine, [node])
  assert.equal(
    scope,
    `instance.private_routing_scope_mismatch: Cluster ${cluster.id}, Node ${node.id}: shop.lan`,
  )
  await updateRoute(db, route, { node_id: null, cluster_id: cluster.id })
  assert.deepEqual(await findings(machine, [node]), [])

  await updateRoute(db, route, { web_root: 'public' })
  const association = 'instance.route_association_mismatch: one own Route'
  assert.ok((await findings(machine, [node])).includes(`${association}, none`))
  // What takes its Route from it, and will remove it, is reported of that Route.
  const dispositions = [{ instance_id: instance, route_id: null }]
  const target_set = { targets: [], dispositions, pools: [] }
  await recordSet(db, { route_id: route, target_set, created_at: '2026-01-01T00:00:00.000Z' })
  assert.ok(!(await findings(machine, [node])).some((finding) => finding.startsWith(association)))
  await forgetSet(db, route)
  await updateRoute(db, route, { web_root: null })
  const second = await createFor(world, instance, { domain: 'other.example', web_root: 'admin/public' })
  await updateRoute(db, second.data.id, { web_root: null })
  assert.ok((await findings(machine, [node])).includes(`${association}, 2`))
})

test('an Instance that is being removed is not judged, nor a Route that is being published [DOC-025]', async () => {
  await using world = await startWorld()
  using machine = await startMachine(world)
  const { node, route } = await office(world, machine)
  machine.host.write(CADDYFILE, '')
  assert.notDeepEqual(await findings(machine, [node]), [])
  await updateRoute(world.store.db, route, { status: 'activating' })
  assert.deepEqual(await findings(machine, [node]), [])
  await updateRoute(world.store.db, route, { status: 'active' })
  await world.store.db.updateTable('instances').set({ removal_status: 'removing' }).execute()
  assert.deepEqual(await findings(machine, [node]), [])
})
