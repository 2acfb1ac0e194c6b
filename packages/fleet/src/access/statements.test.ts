import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  catalogue,
  type ErrorCode,
  findOperation,
  type OperationName,
  pathSegments,
  unknownCode,
} from '@fleet/contract'
import {
  addGrant,
  addProject,
  addRole,
  asCaller,
  excludeNode,
  fakeCall,
  forEachDialect,
  recordHostKey,
  StoreCounts,
} from '@fleet/testing'
import { startStatementsWorld, type StatementsWorld } from '#/access/statements-world.test.ts'

const ENV_FILE = 'apps/shop/default/.env'
const STREAM = { socket_id: '12.34', lines: 10 }
const RULE = { name: 'web', source: '192.0.2.0/24', protocol: 'tcp', port: '80' } as const
const STEP = { name: 'step-2', command: 'true' }
const DEFINITION = {
  environments: ['production' as const],
  spec: { runtime: 'systemd' as const, command: ['/bin/true'] },
}
const TIMED = {
  environments: ['production' as const],
  spec: { calendar: 'daily', command: 'true', timeout_seconds: 60 },
}

const member = (world: StatementsWorld) =>
  world.store.db.updateTable('nodes').set({ cluster_id: Number(world.path['cluster']) })
const joined = (world: StatementsWorld): Promise<unknown> =>
  member(world).where('id', '=', world.node.id).execute()
async function routed(world: StatementsWorld): Promise<void> {
  await joined(world)
  await addRole(world.store, { node_id: world.node.id, role: 'router' })
}
const excluded = ({ store, path, node }: StatementsWorld): Promise<void> =>
  excludeNode(store, { id: Number(path['project']) }, node)
/** Of no Instance. */
async function anotherProject({ store, path, records }: StatementsWorld): Promise<void> {
  const { id } = await addProject(store)
  path['project'] = id
  Object.assign(records, { project: [id] })
}
/** Its host has a recorded key, so nobody is asked for it. */
async function overSsh({ store, path }: StatementsWorld): Promise<void> {
  const project = store.db.updateTable('projects').set({ repository_url: 'git@git.test:shop.git' })
  await project.where('id', '=', Number(path['project'])).execute()
  await recordHostKey(store, 'git.test')
}
async function withDeployKey(world: StatementsWorld): Promise<void> {
  await overSsh(world)
  const call = fakeCall({ caller: asCaller(world.hub) })
  const input = { project: Number(world.path['project']) }
  await world.handlers['project:deploy-key:create']({ call, input })
}
async function withDefinition({ handlers, hub, path }: StatementsWorld): Promise<void> {
  const call = fakeCall({ caller: asCaller(hub) })
  const input = { project: Number(path['project']), name: 'web', ...DEFINITION }
  await handlers['project:process-definition:create']({ call, input })
}
async function withTimed({ handlers, hub, path }: StatementsWorld): Promise<void> {
  const call = fakeCall({ caller: asCaller(hub) })
  const input = { project: Number(path['project']), name: 'web', ...TIMED }
  await handlers['project:schedule-definition:create']({ call, input })
}
/** A server that holds nothing, made up to the step before its Process. */
const withServer = ({ store, node }: StatementsWorld): Promise<unknown> =>
  store.db
    .insertInto('database_servers')
    .values({
      slug: 'shop',
      node_id: node.id,
      engine: 'pgsql',
      tag: '17',
      port: 5432,
      status: 'failed',
      created_at: '2026-01-02T03:04:05.000Z',
    })
    .execute()
async function withAttachment({ handlers, hub, path }: StatementsWorld): Promise<void> {
  const input = { instance: Number(path['instance']), slug: 'shop', prefix: 'DB' }
  await handlers['database:update']({
    call: fakeCall({ caller: asCaller(hub) }),
    input: { slug: 'shop', password: 'x' },
  })
  await handlers['instance:database:add']({ call: fakeCall({ caller: asCaller(hub) }), input })
}
async function withRule({ store, handlers, hub, node, records }: StatementsWorld): Promise<void> {
  const input = { node: node.id, ...RULE } as const
  await handlers['node:firewall:allow']({ call: fakeCall({ caller: asCaller(hub) }), input })
  const { id } = await store.db.selectFrom('firewall_rules').select('id').executeTakeFirstOrThrow()
  Object.assign(records, { rule: [id] })
}

/** The file that the Process of this world would have. */
const withUnit = ({ node, path }: StatementsWorld): void =>
  writeFileSync(
    join(node.user_home, `etc/systemd/system/orbit-process-${path['process']}-queue.service`),
    `# fleet.process.id=${path['process']}\n`,
  )

/** A database that answers, with a password that can be read. */
async function connected({ handlers, hub, databases }: StatementsWorld): Promise<void> {
  const input = { slug: 'shop', password: 'x' }
  await handlers['database:update']({ call: fakeCall({ caller: asCaller(hub) }), input })
  databases.answer('select 1', { columns: [], rows: [], row_count: 0, truncated: false })
  databases.setTables([{ name: 'a', columns: [] }])
}

interface Row {
  /** Statements; then reads of each record of the path before any lock, under one, and after the first write. */
  readonly costs: string
  readonly input?: (world: StatementsWorld) => object
  /** What is not as it is in every world. */
  readonly given?: (world: StatementsWorld) => unknown
  /** With which it is refused in every world. */
  readonly refused?: ErrorCode
}

/** The Instance of every world is one of development. */
const REFUSED: Row = {
  costs: '3, instance 1+0+0, node 1+0+0, project 1+0+0',
  refused: 'deployment_config.unavailable',
}

/** A stream says it in its result. */
const REFUSED_RESULT: Row = { costs: '3, instance 1+0+0, node 1+0+0, project 1+0+0' }

const TABLE: Readonly<Record<string, Row>> = {
  'activity:show': { costs: '3, activity 1+0+0' },
  'cluster:destroy': { costs: '7, cluster 1+1+0' },
  'cluster:node:attach': { costs: '13, cluster 1+1+1, node 1+0+1' },
  'cluster:node:detach': { costs: '7, cluster 1+1+0, node 1+0+1', given: joined },
  'cluster:router:clear': { costs: '14, cluster 1+1+1, node 0+0+1', given: routed },
  'cluster:router:set': { costs: '12, cluster 1+1+1, node 1+0+1', given: joined },
  'cluster:show': { costs: '3, cluster 1+0+0' },
  'cluster:update': { costs: '7, cluster 1+1+0', input: () => ({ tld: 'new.test' }) },
  'database:destroy': { costs: '6, database 1+0+0, process 0+0+1' },
  'database:describe': { costs: '2, database 1+0+0', input: () => ({ table: 'a' }), given: connected },
  'database:query': { costs: '2, database 1+0+0', input: () => ({ sql: 'select 1' }), given: connected },
  'database:schema': { costs: '2, database 1+0+0', given: connected },
  'database:tables': { costs: '2, database 1+0+0', given: connected },
  'database:server:destroy': { costs: '7, node 0+0+1', given: withServer },
  'database:server:show': { costs: '3', given: withServer },
  'database:show': { costs: '3, database 1+0+0' },
  'database:update': { costs: '5, database 1+0+0, process 0+0+1', input: () => ({ database: 'other' }) },
  'database:user:create': {
    costs: '2, database 1+0+0',
    input: () => ({ username: 'reader', password: 'x' }),
    refused: 'database.server_required',
  },
  'database:user:list': { costs: '3, database 1+0+0' },
  'env:import': {
    costs: '9, instance 1+1+0, node 1+1+0, project 1+1+0',
    given: ({ node }) => writeFileSync(join(node.user_home, ENV_FILE), 'A=1\n', { mode: 0o600 }),
  },
  'env:sync': { costs: '14, instance 1+1+0, node 1+1+0, project 1+1+0' },
  'env:update': { costs: '9, instance 1+1+0, node 1+1+0, project 1+1+0', input: () => ({ value: 'x' }) },
  'instance:database:add': {
    costs: '14, database 1+1+0, instance 1+1+0, node 1+1+0, project 1+1+0',
    input: () => ({ prefix: 'DB' }),
    given: connected,
  },
  'instance:database:remove': {
    costs: '14, database 1+0+1, instance 1+1+0, node 1+1+0, project 1+1+0',
    given: withAttachment,
  },
  'instance:dependencies:scan': { costs: '14, instance 1+1+0, node 1+1+0, project 1+1+0' },
  'instance:dependencies:show': { costs: '5, instance 1+0+0, node 1+0+0, project 1+0+0' },
  'instance:dependencies:update': { costs: '14, instance 1+1+0, node 1+1+0, project 1+1+0' },
  'instance:clone': {
    costs: '5, instance 1+0+0, node 1+0+0, project 1+0+0',
    // Another Node than that of the candidate.
    input: ({ hub }) => ({ node_id: hub.id, name: 'live', preview_name: 'p' }),
    refused: 'instance.node_not_app_prod',
  },
  'instance:destroy': {
    costs: '28, instance 1+1+0, node 1+1+0, project 1+1+0',
    input: () => ({ force: true, offline: true }),
    given: ({ pool }) => pool.failProbes(),
  },
  'instance:log-stream:close': {
    costs: '3, instance 1+0+0, node 1+0+0, project 1+0+0',
    given: ({ openStream }) => openStream('instance'),
  },
  'instance:log-stream:open': { costs: '4, instance 1+0+0, node 1+0+0, project 1+0+0', input: () => STREAM },
  'instance:log-stream:renew': {
    costs: '4, instance 1+0+0, node 1+0+0, project 1+0+0',
    given: ({ openStream }) => openStream('instance'),
  },
  'instance:logs': { costs: '4, instance 1+0+0, node 1+0+0, project 1+0+0', input: () => ({ lines: 10 }) },
  'instance:queue': {
    costs: '4, instance 1+0+0, node 1+0+0, project 1+0+0',
    input: () => ({ state: 'pending', limit: 10 }),
  },
  'instance:deploy-step:create': { ...REFUSED, input: () => STEP },
  'instance:deploy-step:destroy': REFUSED,
  'instance:deploy-step:list': REFUSED,
  'instance:deploy-step:update': { ...REFUSED, input: () => ({ command: 'false' }) },
  // Its id is that of the activity.
  'deployment:show': { costs: '4, activity 1+0+0, instance 1+0+0, node 1+0+0, project 1+0+0' },
  'instance:deploy': REFUSED_RESULT,
  'instance:deployments': { costs: '4, instance 1+0+0, node 1+0+0, project 1+0+0' },
  'instance:releases': REFUSED,
  'instance:rollback': { ...REFUSED_RESULT, input: () => ({ release: 'x' }) },
  'instance:transfer': {
    costs: '8, instance 1+1+0, node 1+1+0, project 1+1+0',
    input: ({ hub }) => ({ node_id: hub.id }),
    refused: 'instance.node_not_app_dev',
  },
  'instance:wake': { costs: '4, instance 1+0+0, node 1+0+0, project 1+0+0' },
  'instance:update': { ...REFUSED, input: () => ({ branch: 'next' }) },
  'instance:rename': {
    costs: '6, instance 1+1+0, node 1+1+0, project 1+1+0',
    input: () => ({ branch: 'main' }),
    refused: 'instance.source_path_mismatch',
  },
  'instance:setup': {
    costs: '10, instance 1+1+0, node 1+1+0, project 1+1+0',
    given: ({ store }) => store.db.deleteFrom('project_steps').execute(),
  },
  'instance:show': { costs: '4, instance 1+0+0, node 1+0+0, project 1+0+0' },
  'node:access:add': { costs: '4, node 1+0+0, node 2 1+0+0' },
  'node:access:remove': {
    costs: '4, node 1+0+0, node 2 1+0+0',
    given: ({ store, node, other }) => addGrant(store, other, node),
  },
  'node:converge': { costs: '4, node 1+1+0' },
  'node:excluded-project:add': { costs: '5, node 1+0+0, project 1+0+0' },
  'node:excluded-project:list': { costs: '2, node 1+0+0' },
  'node:excluded-project:remove': { costs: '5, node 1+0+0, project 1+0+0', given: excluded },
  'node:firewall:allow': { costs: '11, node 1+0+0', input: () => RULE },
  'node:firewall:callers': { costs: '8, node 1+0+0', input: () => ({ accounts: ['fleet'] }) },
  'node:firewall:deny': { costs: '11, node 1+0+0', input: () => RULE },
  'node:firewall:list': { costs: '2, node 1+0+0' },
  'node:firewall:live': { costs: '6, node 1+0+0' },
  'node:firewall:managed': { costs: '5, node 1+0+0' },
  'node:firewall:remove': {
    costs: '5, node 1+0+0, rule 1+1+0',
    input: () => ({ offline: false }),
    given: withRule,
  },
  'node:remove': { costs: '16, node 2 1+1+0', given: ({ path, other }) => void (path['node'] = other.id) },
  'node:rename': { costs: '6, node 1+1+1', input: () => ({ name: 'renamed' }) },
  'node:role:add': { costs: '11, node 1+1+1', input: () => ({ role: 'database' }) },
  'node:role:list': { costs: '2, node 1+0+0' },
  'node:role:relocate': {
    costs: '23, node 2 1+1+1',
    given: ({ path, other }) => void Object.assign(path, { node: other.id, role: 'gateway' }),
  },
  'node:role:remove': {
    costs: '7, node 1+1+1',
    given: ({ store, node }) => addRole(store, { node_id: node.id, role: 'database' }),
  },
  'node:settings': {
    costs: '5, node 1+1+1',
    input: ({ node }) => ({ settings: { apps: { path: join(node.user_home, 'own') } } }),
  },
  'node:show': { costs: '5, node 1+0+0' },
  'process:destroy': {
    costs: '9, node 1+1+0, process 1+1+0',
    input: () => ({ offline: true }),
    given: ({ pool }) => pool.failProbes(),
  },
  'process:logs': { costs: '2, node 1+0+0, process 1+0+0', input: () => ({ lines: 10 }) },
  'process:restart': { costs: '6, node 1+1+0, process 1+1+0', given: withUnit },
  'process:start': { costs: '6, node 1+1+0, process 1+1+0', given: withUnit },
  'process:stop': { costs: '6, node 1+1+0, process 1+1+0', given: withUnit },
  'process:log-stream:close': {
    costs: '2, node 1+0+0, process 1+0+0',
    given: ({ openStream }) => openStream('process'),
  },
  'process:log-stream:open': { costs: '2, node 1+0+0, process 1+0+0', input: () => STREAM },
  'process:log-stream:renew': {
    costs: '2, node 1+0+0, process 1+0+0',
    given: ({ openStream }) => openStream('process'),
  },
  'project:deploy-key:create': { costs: '7, project 1+1+0', given: overSsh },
  'project:deploy-key:destroy': { costs: '5, project 1+1+0', given: withDeployKey },
  'project:deploy-key:show': { costs: '4, project 1+0+0', given: withDeployKey },
  'project:destroy': { costs: '8, project 1+1+0', given: anotherProject },
  'project:excluded-node:add': { costs: '5, node 1+0+0, project 1+0+0' },
  'project:excluded-node:list': { costs: '8, project 1+0+0' },
  'project:excluded-node:remove': { costs: '5, node 1+0+0, project 1+0+0', given: excluded },
  'project:process-definition:create': {
    costs: '6, project 1+0+0',
    input: () => ({ ...DEFINITION, name: 'another' }),
  },
  'project:process-definition:destroy': { costs: '5, project 1+0+0', given: withDefinition },
  'project:process-definition:list': { costs: '4, project 1+0+0', given: withDefinition },
  'project:process-definition:show': { costs: '4, project 1+0+0', given: withDefinition },
  'project:process-definition:update': {
    costs: '5, project 1+0+0',
    given: withDefinition,
    input: () => DEFINITION,
  },
  'project:schedule-definition:create': {
    costs: '6, project 1+0+0',
    input: () => ({ ...TIMED, name: 'another' }),
  },
  'project:schedule-definition:destroy': { costs: '5, project 1+0+0', given: withTimed },
  'project:schedule-definition:list': { costs: '4, project 1+0+0', given: withTimed },
  'project:schedule-definition:show': { costs: '4, project 1+0+0', given: withTimed },
  'project:schedule-definition:update': {
    costs: '5, project 1+0+0',
    given: withTimed,
    input: () => TIMED,
  },
  'project:dev-deploy-step:create': { costs: '6, project 1+0+0', input: () => STEP },
  'project:dev-deploy-step:destroy': { costs: '7, project 1+0+0' },
  'project:dev-deploy-step:list': { costs: '4, project 1+0+0' },
  'project:dev-deploy-step:update': { costs: '7, project 1+0+0', input: () => ({ command: 'false' }) },
  'project:setup-step:create': { costs: '6, project 1+0+0', input: () => STEP },
  'project:setup-step:destroy': { costs: '7, project 1+0+0' },
  'project:setup-step:list': { costs: '4, project 1+0+0' },
  'project:setup-step:update': { costs: '7, project 1+0+0', input: () => ({ command: 'false' }) },
  'project:show': { costs: '9, project 1+0+0' },
  'project:teardown-step:create': { costs: '6, project 1+0+0', input: () => STEP },
  'project:teardown-step:destroy': { costs: '7, project 1+0+0' },
  'project:teardown-step:list': { costs: '4, project 1+0+0' },
  'project:teardown-step:update': { costs: '7, project 1+0+0', input: () => ({ command: 'false' }) },
  'route:destroy': {
    costs: '18, node 0+1+0, route 1+1+0',
    input: () => ({ offline: true }),
    given: ({ pool }) => pool.failProbes(),
  },
  'route:target:set': {
    costs: '9, instance 1+0+0, node 1+0+0, project 1+0+0, route 1+1+0',
    input: ({ path }) => ({ instance_id: Number(path['instance']) }),
    refused: 'route.kind_unsupported',
  },
  'route:target:unset': { costs: '7, route 1+1+0', refused: 'route.kind_unsupported' },
  'route:update': {
    costs: '6, route 1+1+0',
    input: () => ({ publication: 'public' }),
    refused: 'route.kind_unsupported',
  },
  'route:show': { costs: '3, route 1+0+0' },
  'schedule:activate': { costs: '2, node 1+0+0, schedule 1+0+0', refused: 'schedule.target_invalid' },
  'schedule:complete': { costs: '2, node 1+0+0, schedule 1+0+0', refused: 'schedule.target_invalid' },
  'schedule:destroy': { costs: '6, node 1+1+0, schedule 1+1+0' },
  'schedule:logs': { costs: '2, node 1+0+0, schedule 1+0+0', input: () => ({ lines: 10 }) },
  'schedule:run': { costs: '4, node 1+1+0, schedule 1+1+0', refused: 'schedule.run_failed' },
  'schedule:show': { costs: '2, node 1+0+0, schedule 1+0+0' },
  'tool:remove': { costs: '2, node 1+0+0, tool 1+0+0', refused: 'tool.package_protected' },
  'tool:show': { costs: '2, node 1+0+0, tool 1+0+0' },
  'tool:update': { costs: '2, node 1+0+0, tool 1+0+0', refused: 'tool.package_protected' },
  'project:update': { costs: '12, project 1+1+1', input: () => ({ slug: 'renamed' }), given: anotherProject },
}

test('every operation whose path names a record has its counts', () => {
  const located = catalogue.filter((operation) =>
    pathSegments(operation.path).some(({ param }) => unknownCode(operation, param) !== undefined),
  )
  assert.deepEqual(
    Object.keys(TABLE).toSorted(),
    located.map(({ name }) => name),
  )
})

for (const [name, row] of Object.entries(TABLE))
  forEachDialect(`${name} reads its records once before a lock and once under it`, async (dialect) => {
    await using world = await startStatementsWorld(dialect)
    await row.given?.(world)
    const operation = findOperation(name) ?? assert.fail(name)
    const named = pathSegments(operation.path).map(
      ({ param }) => [param, world.path[param] ?? assert.fail(param)] as const,
    )
    const path = Object.fromEntries(named.map(([param, value]) => [param, String(value)]))
    const input = { ...Object.fromEntries(named), ...row.input?.(world) }
    world.counts = new StoreCounts(world.records)
    const { found = {} } = await world.locate(operation, { path, body: {} })
    const known = name as OperationName // The first test holds that these are the names.
    const handled = world.handlers[known]({
      call: fakeCall({ caller: asCaller(world.hub) }),
      input: input as never, // The table holds members of the operation.
      found: found as never, // Its own locators found them.
    })
    await (row.refused === undefined ? handled : assert.rejects(handled, { code: row.refused }))
    assert.equal(world.counts.summary(), row.costs)
    assert.deepEqual(world.counts.repeated(), [])
  })
