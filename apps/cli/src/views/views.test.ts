import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Json } from '#/print/value.ts'
import { plain } from '#/terminal.ts'
import { listViews, views } from './index.ts'

const golden = (name: string): string =>
  readFileSync(new URL(`../golden/${name}.txt`, import.meta.url), 'utf8')

async function printed(name: string, data: Json, also?: unknown, columns = 100): Promise<string> {
  const view = (await views[name]?.()) ?? assert.fail(name)
  const messageOf = (code: string): string | undefined =>
    code === 'node.unreachable' ? 'The Node does not answer over SSH.' : undefined
  const lines = await view.lines(data, also, { columns, colors: plain, messageOf })
  return lines.map((line) => `${line}\n`).join('')
}

const node = {
  id: 3,
  cluster_id: 2,
  name: 'web-1',
  status: 'active',
  platform: 'linux',
  architecture: 'x86_64',
  tld: 'test',
  public_ssh_host: '203.0.113.7',
  public_ssh_port: 2222,
  user: 'fleet',
  wireguard_ip: '10.44.0.5',
  wireguard_public_key: 'x'.repeat(43).concat('='),
  wireguard_endpoint_override: null,
  dns_server_override: null,
  lan_ip: '192.168.1.5',
  ssh_host_fingerprint: `SHA256:${'k'.repeat(43)}`,
  failed_step: null,
  error_code: null,
  roles: ['app-dev'],
  settings: { apps: { path: '/srv/apps' } },
  updating: null,
  access: {
    can_access: [{ id: 1, name: 'gateway' }],
    accessible_by: [
      { id: 1, name: 'gateway' },
      { id: 4, name: 'laptop' },
    ],
  },
  excluded_projects: [
    { project_id: 9, project_slug: 'shop', node_id: 3, node_name: 'web-1', development_instance_count: 2 },
  ],
  callers: ['deploy'],
}
const role = { id: 5, role: 'app-dev', status: 'active', failed_step: null, error_code: null }

test('a healthy Node reads in sections, and nothing is said to be wrong', async () => {
  assert.equal(await printed('node:show', node, [role]), golden('node-show'))
})

test('a failed Node and its roles say what is wrong and what to type', async () => {
  const failed = {
    ...node,
    status: 'failed',
    failed_step: 'agent',
    error_code: 'node.agent_install_failed',
    settings: null,
    cluster_id: null,
    lan_ip: null,
    wireguard_ip: null,
    wireguard_public_key: null,
    access: { can_access: [], accessible_by: [] },
    excluded_projects: [],
    callers: null,
  }
  const roles = [
    role,
    { id: 6, role: 'database', status: 'failed', failed_step: 'docker', error_code: 'node.unreachable' },
    { id: 7, role: 'metrics', status: 'removing', failed_step: null, error_code: null },
  ]
  assert.equal(await printed('node:show', failed, roles), golden('node-show-failed'))
})

test('a Node whose enrollment is in progress or was interrupted says how to find out which', async () => {
  const text = await printed('node:show', { ...node, status: 'provisioning' }, [])
  assert.match(text, /\n {2}The enrollment is in progress, or was interrupted\.\n/)
  assert.match(text, /\n {2}next {2}fleet activity:list --command node:add shows which\./)
})

test('without the states of its roles a Node shows their names, and no text steers the terminal', async () => {
  const text = await printed('node:show', { ...node, name: 'a\u001b[2J' }, undefined)
  assert.match(text, /\nRoles\n {2}active {2}app-dev\n/)
  assert.ok(text.startsWith('a\\u001b[2J (3)'))
})

test('a removal says what was taken away, what stays and what to do', async () => {
  const removal = {
    id: 3,
    name: 'web-1',
    removed: true,
    wireguard_peer_removed: false,
    dns_records_removed: 2,
    degradation: 'The Router of the Cluster was not told.',
    roles_shed: ['app-dev', 'database'],
    retained_on_node: ['user', 'packages'],
    follow_up: 'Wipe the machine before somebody else gets it.',
  }
  assert.equal(await printed('node:remove', removal), golden('node-remove'))
  const clean = {
    ...removal,
    wireguard_peer_removed: true,
    degradation: null,
    roles_shed: [],
    retained_on_node: [],
    follow_up: null,
  }
  assert.equal(
    await printed('node:remove', clean),
    'web-1 (3) is removed.\n\nTaken away\n  tunnel peer  yes\n  DNS names    2\n',
  )
})

test('the firewall of a Node is a table of what stands and one of what is missing', async () => {
  const rule = {
    name: 'wireguard-members',
    comment: 'fleet:wireguard-members',
    action: 'allow',
    source: '10.44.0.0/16',
    destination: '10.44.0.5',
    port: 'any',
    protocol: 'any',
    interface: 'fleet',
    direction: 'in',
    family: 'ipv4',
    match: 'exact',
  }
  const foreign = {
    ...rule,
    name: null,
    comment: null,
    port: '80',
    protocol: 'tcp',
    interface: null,
    match: 'unmanaged',
  }
  const missing = {
    ...rule,
    name: 'gateway-https',
    comment: null,
    port: '443',
    protocol: 'tcp',
    match: 'missing',
  }
  const data = { backend_status: 'active', live: [rule, foreign], missing: [missing] }
  assert.equal(await printed('node:firewall:live', data), golden('firewall-live'))
  assert.equal(
    await printed('node:firewall:live', { backend_status: 'absent', live: [], missing: [] }),
    'The firewall is absent.\n',
  )
})

test('a Route says where it leads: by names where the caller may read them, else by its id', async () => {
  const view = (await listViews['route:list']?.()) ?? assert.fail()
  const shop = { id: 7, name: 'default', project: { slug: 'shop' }, node: { name: 'web-1' } }
  const target = (instance_id: number) => ({ instance_id })
  const routes = [
    { domain: 'shop.test', upstream: null, web_root: null, targets: [target(7)] },
    { domain: 'admin.test', upstream: null, web_root: 'admin/public', targets: [target(7), target(8)] },
    { domain: 'mail.test', upstream: 'http://127.0.0.1:8025', web_root: null, targets: [] },
    { domain: 'web.test', upstream: null, process_id: 7, web_root: null, targets: [] },
    { domain: 'old.test', upstream: null, process_id: null, web_root: null, targets: [] },
  ]
  const leads = (...also: readonly unknown[]) => view.rows(routes, also).map((row) => row['leads_to'])
  assert.deepEqual(leads([shop]), [
    'shop/default on web-1',
    'shop/default on web-1, Instance 8 (admin/public)',
    'http://127.0.0.1:8025',
    'Process 7',
    'nothing',
  ])
  assert.equal(leads(undefined)[0], 'Instance 7')
  const echo = { id: 7, target_type: 'node', target_id: 3, name: 'echo' }
  const web1 = { id: 3, name: 'web-1' }
  assert.equal(leads(undefined, [web1], [echo])[3], 'web-1/echo')
  assert.equal(leads(undefined, undefined, [echo])[3], 'Process 7')
  // Processes are read where one is shown, and not waited for: their list asks Nodes.
  const reads = (shown: typeof routes) => view.also(shown).map(({ operation }) => operation)
  assert.deepEqual(reads(routes.slice(0, 3)), ['instance:list'])
  assert.deepEqual(reads(routes), ['instance:list', 'node:list', 'process:list'])
  assert.equal(view.also(routes).at(-1)?.timeoutSeconds, 3)
})

test('Processes and Schedules are listed with their owners by name, and with what they use', async () => {
  const view = (await listViews['process:list']?.()) ?? assert.fail()
  const processes = [
    { id: 1, target_type: 'node', target_id: 3, cpu: 0.00523, memory_bytes: 3_250_585 },
    { id: 2, target_type: 'instance', target_id: 7, cpu: null, memory_bytes: null },
    { id: 3, target_type: 'node', target_id: 9, cpu: null, memory_bytes: null },
  ]
  const shop = { id: 7, name: 'default', project: { slug: 'shop' } }
  const rows = view.rows(processes, [[{ id: 3, name: 'web-1' }], [shop]])
  assert.deepEqual(
    rows.map(({ owner, cpu, memory }) => [owner, cpu, memory]),
    [
      ['web-1', '0.5 %', '3.1 MiB'],
      ['shop/default', null, null],
      ['node 9', null, null],
    ],
  )
  const schedules = (await listViews['schedule:list']?.()) ?? assert.fail()
  const [nightly] = schedules.rows([{ id: 'a', target_type: 'node', target_id: 3 }], [undefined, undefined])
  assert.deepEqual(nightly, { id: 'a', target_type: 'node', target_id: 3, owner: 'node 3' })
})

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

test('a Route is shown with where it leads and who serves it, by names where they may be read', async () => {
  const shop = { id: 7, name: 'default', project: { slug: 'shop' }, node: { name: 'web-1' } }
  const further = [[shop], [{ id: 3, name: 'web-1' }], []]
  assert.equal(await printed('route:show', route, further), golden('route-show'))
  const proxy = { ...route, provenance: 'explicit', targets: [], upstream: 'http://127.0.0.1:8025' }
  assert.equal(
    await printed('route:create', proxy),
    'shop.test (9)  active  private\n\nLeads to\n  upstream  http://127.0.0.1:8025\n\nServed by\n  Node  3\n',
  )
  const ofProcess = { ...proxy, upstream: null, process_id: 5 }
  const echo = { id: 5, target_type: 'node', target_id: 3, name: 'echo' }
  assert.match(
    await printed('route:create', ofProcess, [[], [{ id: 3, name: 'web-1' }], [], [echo]]),
    /\n {2}Process {2}web-1\/echo \(5\)\n/,
  )
  assert.match(await printed('route:show', ofProcess), /\n {2}Process {2}5\n/)
  const show = (await views['route:show']?.()) ?? assert.fail()
  assert.deepEqual([show.also?.(ofProcess) ?? []].flat().at(-1), {
    operation: 'process:list',
    members: { target_type: 'node', target_id: 3 },
    timeoutSeconds: 3,
  })
  const pool = { ...route, cluster_id: 4, node_id: null, web_root: 'a/public' }
  assert.match(
    await printed('route:update', pool, [[], [], [{ id: 4, name: 'eu' }]]),
    /Instance {2}Instance 7 \(7\)\n {2}web root {2}a\/public\n\nServed by\n {2}Cluster {2}eu \(4\)\n/,
  )
})

test('a Route that is not finished says at which step it stopped and what to type', async () => {
  const stopped = { ...route, failed_step: 'caddy', error_code: 'node.unreachable' }
  const activating = { ...stopped, status: 'activating', web_root: 'a/public', publication: 'public' }
  assert.match(
    await printed('route:show', activating),
    /\nProblems\n {2}It stopped at the step caddy\. The Node does not answer over SSH\. \(node\.unreachable\)\n {2}next {2}fleet route:create shop\.test --instance 7 --publication public --web-root a\/public\n$/,
  )
  const replacement = { ...activating, status: 'failed', replaces_route_id: 2 }
  assert.match(
    await printed('route:show', replacement),
    /\n {2}replaces {3}Route 2\n[^]* To give it up: `fleet route:destroy 9`\.\n {2}next {2}fleet route:update 9 --domain shop\.test\n$/,
  )
})

test('a removal is a sentence, with what stays on machines and why it has not ended', async () => {
  assert.equal(
    await printed('route:destroy', { ...route, retained_on_nodes: [] }),
    'Route shop.test (9) is removed.\n',
  )
  assert.equal(
    await printed('project:destroy', { id: 2, slug: 'shop', name: 'The Shop' }),
    'Project shop (2) is removed.\n',
  )
  const left = { node_id: 3, node: 'web-1', steps: ['caddy', 'certificate'] }
  assert.equal(
    await printed('route:destroy', { ...route, retained_on_nodes: [left] }),
    'Route shop.test (9) is removed.\n\nStays on machines\n  web-1 (3)  the site in the web server, its certificate\n',
  )
  const removal = { operation_id: 'x', id: 7, name: 'live', failed_step: null, error_code: null }
  const kept = { node_id: 3, node: 'web-1', path: '/home/shop' }
  assert.equal(
    await printed('instance:destroy', { ...removal, status: 'completed', retained_on_nodes: [kept] }),
    'Instance live (7) is removed.\n\nStays on machines\n  web-1 (3)  the directory /home/shop\n',
  )
  const failed = { failed_step: 'row_deletion', error_code: 'node.unreachable', status: 'failed' }
  assert.equal(
    await printed('instance:destroy', { ...removal, ...failed, retained_on_nodes: [] }),
    'Instance live (7) is not removed: it stopped at the step row_deletion. The Node does not answer over SSH. (node.unreachable)\n',
  )
})

test('what stays of a Process, a Schedule and the site of a Router is called by its kind', async () => {
  const stays = async (operation: string, kept: Readonly<Record<string, unknown>>): Promise<string> => {
    const retained_on_nodes = [{ node_id: 3, node: 'web-1', ...kept }]
    return printed(operation, { id: 4, name: 'queue', retained_on_nodes })
  }
  assert.equal(
    await stays('process:destroy', { unit: 'orbit-process-4-queue' }),
    'Process queue (4) is removed.\n\nStays on machines\n  web-1 (3)  the unit or container orbit-process-4-queue\n',
  )
  assert.match(await stays('schedule:destroy', { timer: 'orbit-4.timer' }), / {2}the timer orbit-4\.timer\n$/)
  assert.match(
    await stays('instance:destroy', { path: null }),
    / {2}the site in the web server, its certificate\n$/,
  )
  assert.equal(
    await printed('schedule:destroy', { id: 4, name: 'nightly', removed: false, retained_on_nodes: [] }),
    'Schedule nightly (4) is removed when its run has ended.\n',
  )
  assert.equal(
    await printed('database:server:destroy', { id: 4, slug: 'main' }),
    'Database server main (4) is removed.\n',
  )
})

test('an operation on the configuration says in a sentence what it did', async () => {
  const said = async (operation: string, changed: boolean, key_count: number) =>
    (await printed(`env:${operation}`, { instance_id: 7, operation, changed, key_count })).trimEnd()
  assert.deepEqual(
    [
      await said('import', true, 15),
      await said('import', false, 15),
      await said('update', true, 1),
      await said('update', false, 2),
      await said('sync', true, 2),
      await said('sync', false, 2),
    ],
    [
      'Imported. The stored configuration has 15 keys.',
      'The file has no value that was not already stored. The stored configuration has 15 keys.',
      'Stored. The stored configuration has 1 key.',
      'This value was already stored. The stored configuration has 2 keys.',
      'The file on the Node was written: 2 keys.',
      'The file on the Node already holds the stored configuration: 2 keys.',
    ],
  )
  const synced = { instance_id: 7, operation: 'sync', changed: true, key_count: 2, replaced_keys: ['A', 'B'] }
  assert.equal(
    await printed('env:sync', synced),
    'The file on the Node was written: 2 keys.\nValues that somebody had changed in the file were replaced by the stored ones: A, B.\n',
  )
})

test('a Cluster is drawn with its Router above its members, and the domains that it serves', async () => {
  const member = (id: number, name: string, more = {}) => ({
    id,
    name,
    status: 'active',
    wireguard_ip: `10.44.0.${id}`,
    lan_ip: null,
    ...more,
  })
  const router = member(2, 'edge')
  const nodes = [
    router,
    member(3, 'web-1', { lan_ip: '192.168.1.5' }),
    member(4, 'web-2', { status: 'failed' }),
  ]
  const cluster = { id: 7, name: 'shops', tld: 'test', state: 'active', nodes, router }
  const routes = [
    { cluster_id: 7, domain: 'shop.test', publication: 'private', status: 'active' },
    { cluster_id: 7, domain: 'api.test', publication: 'public', status: 'failed' },
    { cluster_id: null, domain: 'mail.internal', publication: 'private', status: 'active' },
  ]
  assert.equal(await printed('cluster:show', cluster, routes), golden('cluster-show'))
  const bare = { ...cluster, tld: null, state: 'inactive', nodes: [], router: null }
  assert.equal(
    await printed('cluster:show', bare),
    'shops (7)  inactive  without a top-level domain\n\nno Router\n   no member\n',
  )
  for (const change of ['create', 'update', 'node:attach', 'node:detach', 'router:set', 'router:clear'])
    assert.equal(await printed(`cluster:${change}`, bare), await printed('cluster:show', bare))
})

test('a scan of Tools is one table of what is installed, and says which manager could not be read', async () => {
  const found = (name: string, more = {}) => ({
    manager: 'vp',
    package: name,
    package_kind: 'global',
    installed_version: '1.2.0',
    dependency: false,
    registered: false,
    tool_id: null,
    adoption: 'supported',
    adoption_block: null,
    ...more,
  })
  const packages = [
    found('prettier'),
    found('typescript', { registered: true, tool_id: 4 }),
    found('npm', { adoption: 'unsupported', adoption_block: 'unsupported_source' }),
  ]
  const managers = [
    { manager: 'brew', scan_state: 'incomplete', packages: [] },
    { manager: 'brew-cask', scan_state: 'absent', packages: [] },
    { manager: 'vp', scan_state: 'complete', packages },
  ]
  const data = { node_id: 2, observed_at: '2026-01-02T03:04:05.000Z', managers }
  assert.equal(await printed('tool:scan', data), golden('tool-scan'))
  const nothing = { ...data, managers: managers.slice(1, 2) }
  assert.equal(await printed('tool:scan', nothing), 'No packages were found.\n')
})

test('the queues of an Instance are shown with their jobs and what failed of them', async () => {
  const none = {
    pushed_at: '2026-11-18T16:26:40.250Z',
    completed_at: null,
    failed_at: null,
    exception: null,
    url: null,
  }
  const queue = {
    available: true,
    state: 'failed',
    process_id: 3,
    status: 'running',
    jobs_per_minute: 2.5,
    recent_jobs: 62,
    recently_failed_jobs: 1,
    processes: 4,
    totals: { pending: 60, completed: 1, failed: 1 },
    queues: [{ name: 'default', length: 60, wait_seconds: 3, processes: 4 }],
    dashboard_url: 'https://shop.test/horizon',
    jobs: [
      {
        ...none,
        id: 'f1',
        name: 'App\\Jobs\\SendMail',
        queue: 'default',
        status: 'failed',
        failed_at: '2026-11-18T16:26:42.250Z',
        exception: 'RuntimeException: no answer\u001b[2J\n#0 /srv/app.php(3): send()',
      },
    ],
  }
  assert.equal(await printed('instance:queue', queue), golden('instance-queue'))
  const empty = { ...queue, state: 'pending', queues: [], jobs: [], dashboard_url: null }
  assert.match(await printed('instance:queue', empty), /\n\nNo pending jobs\.\n$/)
  assert.equal(
    await printed('instance:queue', { available: false, state: 'pending' }),
    'This Instance has no queue dashboard: no Process of it runs `artisan horizon`.\n',
  )
})

test('an Instance says at a glance where it is, what runs, what is deployed, and what is wrong', async () => {
  const instance = {
    id: 7,
    project: { id: 1, name: 'SHO', slug: 'shop' },
    node: { id: 3, name: 'web-1' },
    name: 'live',
    environment: 'production',
    checkout_path: '/home/shop/current',
    production_user: 'shop',
    production_home: '/home/shop',
    effective_root: 'public',
    selected_branch: 'main',
    branch_override: null,
    starting_commit: '3079661de24bba2f9380225c1831f5461f3fa815',
    detached: false,
    status: 'active',
    failed_step: null,
    error_code: null,
    route: { id: 4, publication: 'public', status: 'active', error_code: null },
    url: 'https://shop.test',
    removal: null,
    vite_port: null,
    copy_mode: null,
    source_instance: null,
    shared_databases: [],
  }
  const process = {
    id: 12,
    name: 'queue',
    status: 'active',
    desired_state: 'running',
    runtime_status: 'active',
    keep_alive: false,
    cpu: 0.034,
    memory_bytes: 41_943_040,
    error_code: null,
  }
  const ended = {
    ...process,
    id: 13,
    name: 'mail\u001b[31m',
    runtime_status: 'failed',
    cpu: null,
    memory_bytes: null,
  }
  const deployment = {
    id: 21,
    status: 'failed',
    branch: 'main',
    commit: 'fa41e3a26aff50cb36a2ce6037d9eac1de48c0d2',
    release: null,
    selected_release: '20261120T101500Z',
    failed_step: 'build',
    error_code: 'node.unreachable',
    started_at: '2026-11-22T10:15:00.000Z',
    triggered_by: 'gateway',
  }
  // After a change it is shown alike, without asking what runs.
  for (const name of ['create', 'setup', 'clone', 'rename', 'update', 'transfer']) {
    const view = (await views[`instance:${name}`]?.()) ?? assert.fail(name)
    assert.equal(view.also, undefined, name)
    assert.match(await printed(`instance:${name}`, instance), /^shop\/live \(7\) {2}active {2}production/)
  }
  assert.equal(
    await printed('instance:show', instance, [[process, ended], [deployment]]),
    golden('instance-show'),
  )
  const copied = {
    ...instance,
    copy_mode: 'reflink',
    source_instance: { id: 3, name: 'default' },
    shared_databases: [{ slug: 'shop', prefix: 'DB', driver: 'mysql' }],
  }
  const shown = await printed('instance:show', copied)
  assert.match(shown, /^ {2}copied from +default \(3\), sharing blocks of the disk$/m)
  assert.match(shown, /^ {2}databases shared with it +shop \(DB\)$/m)
  const linked = { ...instance, name: 'feature', source_layout: 'worktree' }
  const registered = { app: {}, app_instance: instance, instances: [instance, linked], status: 'completed' }
  const adopted = await printed('instance:register', registered)
  assert.deepEqual(adopted.match(/^shop\/\w+ \(7\)/gm), ['shop/live (7)', 'shop/feature (7)'])
  assert.match(adopted, /^ {2}layout +linked worktree of a checkout of the Project$/m)
  assert.doesNotMatch(adopted, /seed_path|app_instance/)
  const broken = {
    ...instance,
    status: 'removing',
    failed_step: 'setup',
    error_code: 'node.unreachable',
    url: null,
    route: { ...instance.route, status: 'failed' },
    removal: { status: 'failed', error_code: null },
  }
  assert.equal(await printed('instance:show', broken), golden('instance-show-broken'))
  const forced = { ...broken, removal: { ...broken.removal, force: true } }
  assert.match(await printed('instance:show', forced), /next +fleet instance:destroy shop\/live --force\n/)
  const unfinished = { ...instance, status: 'reserved', failed_step: 'home', error_code: 'node.unreachable' }
  const removes = 'removes what was created'
  for (const [creation, command, ends] of [
    ['clone', 'fleet instance:clone', removes],
    ['repository', 'fleet instance:create', removes],
    ['copy', 'fleet instance:create', removes],
    ['register', 'fleet instance:register', 'moves the directory back to where it was'],
  ])
    assert.match(
      await printed('instance:show', { ...unfinished, creation }),
      new RegExp(
        `stopped at the step home\\..*The same \`${command}\` resumes it; the command ${ends}\\.\\n +next +fleet instance:destroy shop/live\\n`,
      ),
    )
  const left = await printed('instance:show', { ...instance, failed_step: 'release' })
  assert.match(left, /is not removed yet\. .*\n +next +fleet instance:register DIRECTORY\n/)
  const uncreated = { ...process, desired_state: 'stopped', runtime_status: null, status: 'failed' }
  assert.match(
    await printed('instance:show', instance, [[uncreated], []]),
    /The Process queue was not created completely\..*`fleet process:create` resumes it\.\n +next +fleet process:destroy \d+\n/,
  )
  const transfer = {
    failed_step: 'source_cleanup',
    error_code: 'node.unreachable',
    destination_node_id: 9,
    destination_name: 'live',
    recovery_evidence: { rollback_pending: false, incomplete: ['source_cleanup'], sqlite_source_path: null },
  }
  assert.match(
    await printed('instance:show', { ...instance, transfer }),
    /stopped at the step source_cleanup\..*\n +next +fleet instance:transfer shop\/live 9 --name live/,
  )
  const seeded = { ...transfer.recovery_evidence, sqlite_source_path: '/srv/my shop.sqlite' }
  assert.match(
    await printed('instance:show', { ...instance, transfer: { ...transfer, recovery_evidence: seeded } }),
    /--name live --sqlite-source-path '\/srv\/my shop\.sqlite'/,
  )
  const finished = { ...instance, transfer: { ...transfer, recovery_evidence: null } }
  assert.doesNotMatch(await printed('instance:show', finished), /Problems/)
  const seen = (runtime_status: string, keep_alive = false) =>
    printed('instance:show', instance, [[{ ...process, runtime_status, keep_alive }], []])
  for (const right of [seen('inactive'), seen('reloading', true)])
    assert.doesNotMatch(await right, /Problems/)
  assert.match(await seen('inactive', true), /The Process queue should run and is inactive\./)
  assert.match(await seen('restarting'), /should run and is restarting\..*\n +next +fleet process:logs 12/)
})
