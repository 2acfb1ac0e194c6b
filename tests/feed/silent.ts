import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OperationName } from '@fleet/contract'
import { addProject, FINGERPRINT, recordHostKey } from '@fleet/testing'
import { attachment, definition, server } from './silent-databases.ts'
import { scheduleBody } from './reported.ts'
import type { FeedWorld } from './world.ts'
import { cluster, instance, nothing, plainNode, refused, type Scenario, publishes, unique } from './scenes.ts'

/** A change that publishes its Activity alone, with the row that says so. */
interface Silence {
  readonly row: string
  readonly scenario: Scenario
}

const exclusion =
  (method: 'POST' | 'DELETE', side: 'node' | 'project'): Scenario =>
  async (world) => {
    const [node, id] = [await plainNode(world, ['app-dev']), await world.project()]
    const path =
      side === 'node' ? `/nodes/${node}/excluded-projects/${id}` : `/projects/${id}/excluded-nodes/${node}`
    await publishes(world, ['POST', path], nothing)
    if (method === 'POST') return
    await publishes(world, ['DELETE', path], nothing)
    await refused(world, ['DELETE', path], 'project.excluded_node_missing')
  }

const steps =
  (kind: 'setup' | 'teardown' | 'dev-deploy', last: 'POST' | 'PATCH' | 'DELETE'): Scenario =>
  async (world) => {
    const path = `/projects/${await world.project()}/${kind}-steps`
    const name = unique('build')
    // Of the time that all steps of a Project may take together, so little that those of other tests have room.
    await publishes(world, ['POST', path, { body: { name, command: 'true', timeout_seconds: 1 } }], nothing)
    if (last === 'POST') return
    const body = last === 'PATCH' ? { command: 'echo' } : undefined
    await publishes(world, [last, `${path}/${name}`, body ? { body } : {}], nothing)
  }

const KEYS = 'decision 0233: a deploy key and the keys of a host are published with the Activity alone'

/** A Git host with a recorded key. */
async function gitHost({
  fleet,
}: FeedWorld): Promise<{ readonly host: string; readonly fingerprint: string }> {
  const host = `${unique('git')}.test`
  await recordHostKey(fleet.store, host)
  return { host, fingerprint: FINGERPRINT }
}

const APP = 'decision 0237: the GitHub App of the gateway is published with the Activity alone'

/** A gateway has one at most: whatever is there goes first. */
const githubApp =
  (last: 'POST' | 'DELETE'): Scenario =>
  async (world) => {
    const { db } = world.fleet.store
    await db.deleteFrom('github_apps').execute()
    if (last === 'POST') return void (await publishes(world, ['POST', '/github/app', { body: {} }], nothing))
    await db
      .insertInto('github_apps')
      .values({
        id: 1,
        app_id: 7,
        slug: 'fleet',
        name: 'Fleet',
        owner: 'acme',
        url: 'https://github.com/apps/fleet',
        private_key: '',
        created_at: '2026-01-01T00:00:00.000Z',
      })
      .execute()
    await publishes(world, ['DELETE', '/github/app'], nothing)
    await refused(world, ['DELETE', '/github/app'], 'github.app_missing')
  }

const deployKey =
  (last: 'POST' | 'DELETE'): Scenario =>
  async (world) => {
    const { host } = await gitHost(world)
    const { id } = await addProject(world.fleet.store, { repository_url: `git@${host}:shop.git` })
    await publishes(world, ['POST', `/projects/${id}/deploy-key`], nothing)
    if (last === 'DELETE') await publishes(world, ['DELETE', `/projects/${id}/deploy-key`], nothing)
  }

const environment =
  (work: 'update' | 'import' | 'sync'): Scenario =>
  async (world) => {
    const { id, checkout_path: checkout } = await instance(world)
    const path = `/instances/${id}/environment`
    if (work === 'import') {
      writeFileSync(join(checkout, '.env'), 'GREETING=hello\n')
      await publishes(world, ['POST', `${path}/import`, { body: {} }], nothing)
      return
    }
    await publishes(world, ['PUT', `${path}/GREETING`, { body: { value: 'hello' } }], nothing)
    if (work === 'sync') await publishes(world, ['POST', `${path}/sync`, { body: {} }], nothing)
  }

const routing: Scenario = async (world) => {
  const id = await cluster(world)
  const router = `/clusters/${id}/router`
  await refused(world, ['PUT', `${router}/${world.fleet.nodes.gateway}`], 'cluster.router_node_invalid')
  await publishes(world, ['DELETE', router], nothing)
}

const STREAM = 'f'.repeat(32)

/** `tests/live` shows that those which succeed are as silent. */
const logStream =
  (of: 'instances' | 'processes', work: 'open' | 'renew' | 'close'): Scenario =>
  async (world) => {
    const id = of === 'instances' ? (await instance(world)).id : 999_999
    const path = `/${of}/${id}/log-streams`
    const missing = of === 'instances' ? 'logs.stream_not_found' : 'process.not_found'
    if (work === 'open') {
      const code = of === 'instances' ? 'logs.live_unavailable' : missing
      return refused(world, ['POST', path, { body: { socket_id: '1.2' } }], code)
    }
    if (work === 'close') return refused(world, ['DELETE', `${path}/${STREAM}`], missing)
    const { events, code } = await world.perform('PUT', `${path}/${STREAM}`)
    assert.deepEqual([code, events], [missing, []])
  }

/** The tests of Tools show that those which succeed are as silent; a Node of this machine has no package manager. */
const tool =
  (work: 'install' | 'adopt' | 'update' | 'remove'): Scenario =>
  async (world) => {
    const body = { node_id: world.fleet.nodes.granted, manager: 'apt', package: 'jq' }
    const path = work === 'adopt' ? '/tools/adopt' : '/tools'
    if (work === 'install' || work === 'adopt')
      return refused(world, ['POST', path, { body }], 'node.capability_missing')
    const missing =
      work === 'update' ? (['POST', '/tools/999999/update'] as const) : (['DELETE', '/tools/999999'] as const)
    await refused(world, missing, 'tool.not_found')
  }

const STEPS = 'PRJ-039: setup and teardown steps fire no event'
const EXCLUSIONS =
  'NODE-018, PRJ-014: only the show operations have exclusions, so no record of a list changes'
const ENVIRONMENT = 'EV-091: environment operations publish their Activity alone'
const DEPENDENCIES = 'EV-091: operations on dependencies publish their Activity alone'
const TOOLS = 'TLX-051: operations on Tools fire no event'
const LOGS = 'LOG-009: live logs are published on channels of their own'
const RENEWAL = 'LOGS-028: renewals leave no Activity'
const SERVERS = 'decision 0179: a server publishes its Process alone'
const DEFINITIONS = 'PRJ-087: definitions and deploy steps for development fire no event'
const CLUSTER = 'CLU-012: Clusters have no event of their own'

export const SILENT: Readonly<Partial<Record<OperationName, Silence>>> = {
  'broadcasting:authorize': {
    row: 'RT-005: a signature changes no record',
    scenario: async (world) => {
      const body = { socket_id: '1.2', channel_name: 'private-fleet' }
      await publishes(world, ['POST', '/broadcasting/auth', { body }], nothing)
      const other = { ...body, channel_name: 'presence-other' }
      await refused(world, ['POST', '/broadcasting/auth', { body: other }], 'broadcast.channel_forbidden')
    },
  },
  'instance:dependencies:scan': {
    row: DEPENDENCIES,
    scenario: async (world) => {
      const { id } = await instance(world)
      await publishes(world, ['POST', `/instances/${id}/dependencies/scan`], nothing)
    },
  },
  'instance:dependencies:update': {
    row: DEPENDENCIES,
    scenario: async (world) => {
      const { id } = await instance(world)
      await publishes(world, ['POST', `/instances/${id}/dependencies/update`], nothing)
    },
  },
  'doctor:run': {
    row: 'DRF-002: Doctor stores nothing and writes one Activity',
    scenario: async (world) => {
      const body = { node_id: world.fleet.nodes.granted, families: ['node'] }
      await publishes(world, ['POST', '/doctor', { body }], nothing)
    },
  },
  'node:access:add': {
    row: 'GRANT-014: grants fire no event',
    scenario: async (world) => {
      const node = await plainNode(world)
      await publishes(world, ['PUT', `/nodes/${node}/access/${world.fleet.nodes.granted}`], nothing)
    },
  },
  'node:access:remove': {
    row: 'GRANT-014: grants fire no event',
    scenario: async (world) => {
      const node = await plainNode(world)
      await world.fleet.ask('PUT', `/api/v1/nodes/${node}/access/${world.fleet.nodes.granted}`)
      await publishes(world, ['DELETE', `/nodes/${node}/access/${world.fleet.nodes.granted}`], nothing)
    },
  },
  'node:firewall:callers': {
    row: 'decision 0123: the limit is no part of the Node record that events carry',
    scenario: async (world) => {
      const path = `/nodes/${await plainNode(world)}/firewall-callers`
      await publishes(world, ['PUT', path, { body: { accounts: ['ops'] } }], nothing)
      await publishes(world, ['PUT', path, { body: { accounts: null } }], nothing)
    },
  },
  'cluster:create': {
    row: CLUSTER,
    scenario: async (world) => {
      const create = ['POST', '/clusters', { body: { name: unique('c') } }] as const
      await publishes(world, create, nothing)
      await publishes(world, create, nothing)
    },
  },
  'cluster:update': {
    row: CLUSTER,
    scenario: async (world) => {
      const path = `/clusters/${await cluster(world)}`
      await publishes(world, ['PATCH', path, { body: { name: unique('d') } }], nothing)
      await refused(world, ['PATCH', path, { body: {} }], 'cluster.update_required')
    },
  },
  'cluster:destroy': {
    row: CLUSTER,
    scenario: async (world) => {
      await publishes(world, ['DELETE', `/clusters/${await cluster(world)}`], nothing)
    },
  },
  'cluster:router:set': { row: 'CLU-012: a Node that becomes no Router has not changed', scenario: routing },
  'cluster:router:clear': { row: 'CLU-012: a Cluster without a Router changes no Node', scenario: routing },
  'tool:install': { row: TOOLS, scenario: tool('install') },
  'tool:adopt': { row: TOOLS, scenario: tool('adopt') },
  'tool:update': { row: TOOLS, scenario: tool('update') },
  'tool:remove': { row: TOOLS, scenario: tool('remove') },
  'database:server:create': { row: SERVERS, scenario: server('create') },
  'database:server:destroy': { row: SERVERS, scenario: server('destroy') },
  'instance:database:add': { row: ENVIRONMENT, scenario: attachment('add') },
  'instance:database:remove': { row: ENVIRONMENT, scenario: attachment('remove') },
  'project:process-definition:create': { row: DEFINITIONS, scenario: definition('process', 'create') },
  'project:process-definition:update': { row: DEFINITIONS, scenario: definition('process', 'update') },
  'project:process-definition:destroy': { row: DEFINITIONS, scenario: definition('process', 'destroy') },
  'project:schedule-definition:create': { row: DEFINITIONS, scenario: definition('schedule', 'create') },
  'project:schedule-definition:update': { row: DEFINITIONS, scenario: definition('schedule', 'update') },
  'project:schedule-definition:destroy': { row: DEFINITIONS, scenario: definition('schedule', 'destroy') },
  'database:query': {
    row: 'EV-044: a statement does not change the connection',
    scenario: async (world) => {
      const body = { slug: unique('cache'), driver: 'redis', host: 'a.internal' }
      await world.fleet.ask('POST', '/api/v1/database-connections', { body })
      const path = `/database-connections/${body.slug}/query`
      await refused(world, ['POST', path, { body: { sql: 'GET a' } }], 'database.driver_unsupported')
    },
  },
  'env:update': { row: ENVIRONMENT, scenario: environment('update') },
  'env:import': { row: ENVIRONMENT, scenario: environment('import') },
  'env:sync': { row: ENVIRONMENT, scenario: environment('sync') },
  'instance:setup': {
    row: 'EV-080: other changes of an Instance publish nothing',
    scenario: async (world) => {
      const { id } = await instance(world)
      await publishes(world, ['POST', `/instances/${id}/setup`], nothing)
    },
  },
  'instance:transfer': {
    row: 'EV-080: `routes/move-failures.test.ts` shows that one which succeeds is as silent',
    scenario: async (world) => {
      const { id } = await instance(world)
      const { node_id } = await world.read(`/instances/${id}`)
      await refused(world, ['POST', `/instances/${id}/transfer`, { body: { node_id } }], 'instance.same_node')
    },
  },
  'instance:log-stream:open': { row: LOGS, scenario: logStream('instances', 'open') },
  'instance:log-stream:renew': { row: RENEWAL, scenario: logStream('instances', 'renew') },
  'instance:log-stream:close': { row: LOGS, scenario: logStream('instances', 'close') },
  'process:log-stream:open': { row: LOGS, scenario: logStream('processes', 'open') },
  'process:log-stream:renew': { row: RENEWAL, scenario: logStream('processes', 'renew') },
  'process:log-stream:close': { row: LOGS, scenario: logStream('processes', 'close') },
  'schedule:run': {
    row: 'EV-040: a run is published when it was reported',
    scenario: async (world) => {
      const { data } = await world.perform('POST', '/schedules', { body: await scheduleBody(world) })
      await publishes(world, ['POST', `/schedules/${data['id']}/run`], nothing)
    },
  },
  'node:excluded-project:add': { row: EXCLUSIONS, scenario: exclusion('POST', 'node') },
  'node:excluded-project:remove': { row: EXCLUSIONS, scenario: exclusion('DELETE', 'node') },
  'git-host:trust': {
    row: KEYS,
    scenario: async (world) => {
      const body = await gitHost(world)
      await publishes(world, ['POST', '/git-hosts', { body }], nothing)
    },
  },
  'github:app:install': { row: APP, scenario: githubApp('POST') },
  'github:app:destroy': { row: APP, scenario: githubApp('DELETE') },
  'project:deploy-key:create': { row: KEYS, scenario: deployKey('POST') },
  'project:deploy-key:destroy': { row: KEYS, scenario: deployKey('DELETE') },
  'project:excluded-node:add': { row: EXCLUSIONS, scenario: exclusion('POST', 'project') },
  'project:excluded-node:remove': { row: EXCLUSIONS, scenario: exclusion('DELETE', 'project') },
  'project:dev-deploy-step:create': { row: DEFINITIONS, scenario: steps('dev-deploy', 'POST') },
  'project:dev-deploy-step:update': { row: DEFINITIONS, scenario: steps('dev-deploy', 'PATCH') },
  'project:dev-deploy-step:destroy': { row: DEFINITIONS, scenario: steps('dev-deploy', 'DELETE') },
  'project:setup-step:create': { row: STEPS, scenario: steps('setup', 'POST') },
  'project:setup-step:update': { row: STEPS, scenario: steps('setup', 'PATCH') },
  'project:setup-step:destroy': { row: STEPS, scenario: steps('setup', 'DELETE') },
  'project:teardown-step:create': { row: STEPS, scenario: steps('teardown', 'POST') },
  'project:teardown-step:update': { row: STEPS, scenario: steps('teardown', 'PATCH') },
  'project:teardown-step:destroy': { row: STEPS, scenario: steps('teardown', 'DELETE') },
}
