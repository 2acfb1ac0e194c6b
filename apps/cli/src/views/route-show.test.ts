import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeTerminal } from '#/fake-terminal.ts'
import { routeList } from './route-list.ts'
import { routeChanged, routeShow } from './route-show.ts'

const route = {
  id: 9,
  kind: 'app',
  project_id: 1,
  node_id: 3,
  cluster_id: null,
  generation_basis_node_id: 3,
  domain: 'shop.test',
  web_root: null,
  provenance: 'generated',
  publication: 'private',
  status: 'active',
  failed_step: null,
  error_code: null,
  replaces_route_id: null,
  replaced_by_route_id: null,
  replacement_step: null,
  target_set_step: null,
  target: { id: 1, instance_id: 7, position: 1 },
  targets: [{ id: 1, instance_id: 7, position: 1 }],
  process_id: null,
  upstream: null,
  analytics_instance_id: null,
}

const paper = {
  columns: 100,
  colors: new FakeTerminal().outColors,
  messageOf: (code: string) => (code === 'node.unreachable' ? 'The Node does not answer.' : undefined),
}

/** What is said to be wrong of a Route. */
async function problemsOf(data: Readonly<Record<string, unknown>>, also: readonly unknown[] = []) {
  const shown = (await routeShow.lines(data, [...also], paper)).join('\n')
  return `${shown.slice(shown.indexOf('Problems'))}\n`
}

test('a Route without an Instance, with one that is not created, and one whose targets change say what helps and never to remove what serves', async () => {
  const reserved = { ...route, status: 'pending' }
  const live = { id: 7, name: 'live', project: { slug: 'shop' }, node: { name: 'web-1' } }
  assert.match(
    await problemsOf(reserved, [[live], [], []]),
    /Its status is pending\.\n {2}Its Instance is not created completely[^\n]*\n {2}next {2}fleet instance:show shop\/live\n$/,
  )
  assert.match(await problemsOf(reserved), /next {2}fleet instance:show 7\n$/)
  const empty = { ...reserved, target: null, targets: [] }
  assert.match(
    await problemsOf({ ...empty, error_code: 'node.unreachable' }),
    /It leads to no Instance\. `fleet route:target:set` leads it to one[^\n]*\n {2}next {2}fleet route:destroy 9\n$/,
  )
  const changing = { ...route, target_set_step: 'private-dns' }
  const stopped = { ...changing, failed_step: 'private-dns', error_code: 'node.unreachable' }
  for (const [one, said] of [
    [changing, /^Problems\n {2}A change of its targets is at the step private-dns\.\n/],
    [stopped, /^Problems\n {2}It stopped at the step private-dns\. The Node does not answer/],
  ] as const) {
    const shown = await problemsOf(one)
    assert.match(shown, said)
    assert.match(
      shown,
      /the request that began it finishes it\.\n {2}next {2}fleet activity:list --command route:target:set\n$/,
    )
  }
})

test('a change of a domain that has not ended is finished by its own request, and no command that removes is told after the cutover', async () => {
  const next = { ...route, domain: 'new.test', replaces_route_id: 8 }
  const served = await problemsOf({ ...next, status: 'activating' })
  assert.match(
    served,
    /^Problems\n {2}It takes the place of another Route, and that has not ended\.\n[^\n]*\n {2}next {2}fleet route:update 9 --domain new\.test\n$/,
  )
  assert.doesNotMatch(served, /destroy/)
  const stopped = { ...next, status: 'failed', failed_step: 'private-dns', error_code: 'node.unreachable' }
  assert.match(
    await problemsOf(stopped),
    /It stopped at the step private-dns[^]*To give it up: `fleet route:destroy 9`\.\n {2}next {2}fleet route:update 9 --domain new\.test\n$/,
  )
  assert.match(
    await problemsOf({ ...route, status: 'retiring', replaced_by_route_id: 10 }),
    /shows what is missing\.\n {2}next {2}fleet route:show 10\n$/,
  )
})

test('a custom proxy that failed is removed and created again, and one whose creation was interrupted is resumed by it', async () => {
  const proxy = { ...route, kind: 'custom_proxy', target: null, targets: [], upstream: 'http://127.0.0.1:80' }
  assert.match(
    await problemsOf({ ...proxy, status: 'failed', failed_step: 'caddy', error_code: 'node.unreachable' }),
    /at the step caddy[^]*Nothing resumes it\. Remove it, then create it again\.\n {2}next {2}fleet route:destroy 9\n$/,
  )
  const interrupted = { ...proxy, status: 'activating' }
  assert.match(
    await problemsOf(interrupted),
    /next {2}fleet route:create shop\.test --node 3 --upstream http:\/\/127\.0\.0\.1:80\n$/,
  )
  assert.match(
    await problemsOf({ ...interrupted, upstream: null, process_id: 4 }),
    /next {2}fleet route:create shop\.test --node 3 --process 4\n$/,
  )
})

test('a Route that only waits for an Instance has no problem, and says how to give it one', async () => {
  const empty = { ...route, status: 'pending', target: null, targets: [] }
  const shown = (await routeShow.lines(empty, [], paper)).join('\n')
  assert.match(
    shown,
    /\n\nWaits for an Instance\n {2}It leads to none yet\. `fleet route:destroy 9` removes it\.\n {2}next {2}fleet route:target:set 9 INSTANCE$/,
  )
  for (const bound of [
    { failed_step: 'caddy' },
    { error_code: 'node.unreachable' },
    { replacement_step: 'cleanup' },
    { replaces_route_id: 2 },
    { target_set_step: 'private-dns' },
    { target_set: { targets: [7], dispositions: [] } },
    { kind: 'custom_proxy' },
    { status: 'failed' },
  ])
    assert.match((await routeShow.lines({ ...empty, ...bound }, [], paper)).join('\n'), /\nProblems\n/)
})

test('a Route whose targets change names the set that finishes it and what gives it up, and never its removal', async () => {
  const dispositions = [
    { instance_id: 10, route_id: 13 },
    { instance_id: 11, remove: true },
  ]
  const unstored = { ...route, target_set: { targets: [9, 7], dispositions } }
  const next = 'next  fleet route:target:set 9 --targets 9 --targets 7 --reassign 10:13 --remove 11\n'
  const present = 'To give it up, name the present targets: `fleet route:target:set 9 --targets 7`.'
  const lines = (...said: readonly string[]) =>
    ['Problems', ...said.map((line) => `  ${line}`)].join('\n') + `\n  ${next}`
  assert.equal(
    await problemsOf({ ...unstored, failed_step: 'reserve', error_code: 'node.unreachable' }),
    lines(
      'A change of its targets stopped before it was stored. It could not be rolled back at the step reserve. The Node does not answer. (node.unreachable)',
      `The same set again resumes it. ${present}`,
    ),
  )
  assert.equal(
    await problemsOf(unstored),
    lines(
      'A change of its targets has not ended, and nothing of it is stored yet.',
      `The same set again resumes it. ${present}`,
    ),
  )
  assert.equal(
    await problemsOf({ ...unstored, status: 'pending', target: null, targets: [] }),
    lines(
      'A change of its targets has not ended, and nothing of it is stored yet.',
      'The same set again resumes it. To give it up: `fleet route:target:unset 9`.',
    ),
  )
  const stored = { ...unstored, target_set_step: 'private-dns' }
  assert.equal(
    await problemsOf({ ...stored, failed_step: 'public-pools', error_code: 'node.unreachable' }),
    lines(
      'It stopped at the step public-pools. The Node does not answer. (node.unreachable)',
      'The same set again resumes it. No other is taken until then.',
    ),
  )
})

test('a public Route that is open to nobody says what it waits for, also where it was changed', async () => {
  const open = { ...route, publication: 'public' }
  const said = async (publication_lacks?: string): Promise<string> =>
    (await routeShow.lines({ ...open, cluster_id: 4, publication_lacks }, [], paper)).join('\n')
  for (const [lack, next] of [
    [
      'production_target',
      /only production is public[^\n]*\n {2}next {2}fleet route:update 9 --publication private$/,
    ],
    ['active_cluster', /in no active Cluster[^\n]*\n {2}next {2}fleet cluster:list$/],
    ['router', /no active Router[^\n]*\n {2}next {2}fleet cluster:router:set 4 NODE$/],
    ['ingress', /no active ingress[^\n]*\n {2}next {2}fleet node:role:add NODE ingress$/],
    ['opening', /its opening stopped[^\n]*\n {2}next {2}fleet route:update 9 --publication public$/],
  ] as const) {
    assert.match(await said(lack), next)
    assert.match(await said(lack), /\n\nNot open to the public\n/)
    assert.doesNotMatch(await said(lack), /Problems/)
  }
  for (const none of [undefined, 'of a later release', 'toString'])
    assert.doesNotMatch(await said(none), /Not open/)
  const also = typeof routeChanged.also === 'function' ? routeChanged.also(open) : assert.fail()
  assert.deepEqual(Array.isArray(also) ? also.at(-1) : also, {
    operation: 'route:show',
    members: { route: 9 },
  })
  assert.equal([routeChanged.also?.(route)].flat().length, 3)
  const changed = await routeChanged.lines(open, [[], [], [], { publication_lacks: 'ingress' }], paper)
  assert.match(changed.join('\n'), /\n\nNot open to the public\n/)
})

async function shownOf(data: Readonly<Record<string, unknown>>): Promise<string> {
  return `${(await routeShow.lines(data, [], paper)).join('\n')}\n`
}

test('a public Route that is open has no problem, and one that is on its way says so', async () => {
  const open = { ...route, publication: 'public', replacement_step: 'ingress-firewall' }
  assert.doesNotMatch(await shownOf(open), /Problems/)
  const closed = { ...open, replacement_step: 'public-activated' }
  assert.match(
    await shownOf(closed),
    /It stopped at the step public-activated\.\n {2}next {2}fleet route:update 9 --publication public\n$/,
  )
})

test('a private Route that its ingress may still serve is said to be open, with the command that closes it', async () => {
  const closing = { ...route, replacement_step: 'public-withdrawn' }
  // The gateway died between the record and the first step.
  for (const one of [closing, { ...closing, replacement_step: 'ingress-firewall' }]) {
    const shown = await shownOf(one)
    assert.match(shown, /^shop\.test \(9\) {2}active {2}private, still open to the public\n/)
    assert.match(
      shown,
      /\nProblems\n {2}It is still open to the public: its closing stopped at the step public-withdrawn\.\n {2}next {2}fleet route:update 9 --publication private\n$/,
    )
    assert.doesNotMatch(shown, /destroy/)
  }
  assert.deepEqual(
    routeList.rows([closing, route], [undefined]).map(({ publication }) => publication),
    ['private, still open', 'private'],
  )
})

test('a change of a web root that stopped is ended by naming the web root that the Route has, and never by its removal', async () => {
  const stopped = { ...route, failed_step: 'old-php', error_code: 'node.unreachable' }
  for (const [web_root, words] of [
    [null, '--no-web-root'],
    ['apps/admin/public', '--web-root apps/admin/public'],
    ['apps/my admin', "--web-root 'apps/my admin'"],
  ] as const) {
    const problems = await problemsOf({ ...stopped, web_root })
    assert.match(problems, /^Problems\n {2}It stopped at the step old-php\. The Node does not answer\. /)
    assert.ok(problems.endsWith(`  next  fleet route:update 9 ${words}\n`), problems)
    assert.doesNotMatch(problems, /destroy/)
  }
})
