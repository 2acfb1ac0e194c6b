import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OperationName } from '@fleet/contract'
import { addInstance, addRole, addRoute, FINGERPRINT } from '@fleet/testing'
import {
  cluster,
  enrolled,
  instance,
  nodeUpdated,
  nothing,
  plainNode,
  projectBody,
  refused,
  type Scenario,
  publishes,
  unique,
} from './scenes.ts'
import { production, REPORTED_DEPLOYMENTS } from './reported-deployments.ts'
import { REPORTED_INSTANCES } from './reported-instances.ts'
import { REPORTED_ROUTES } from './reported-routes.ts'
import { type FeedWorld, makeProject } from './world.ts'

async function firewall(world: FeedWorld, action: 'allow' | 'deny'): Promise<void> {
  const { id } = await enrolled(world)
  const path = `/nodes/${id}/firewall-rules`
  const body = { name: 'web', port: '8080', source: '198.51.100.7' }
  const add = ['POST', `${path}/${action}`, { body }] as const
  await publishes(world, add, async () => [['firewall.created', (await world.read(path))[0]]])
  await publishes(world, add, nothing)
  await refused(
    world,
    ['POST', `${path}/${action}`, { body: { ...body, port: '81' } }],
    'firewall.name_taken',
  )
}

const databaseBody = () => ({ slug: unique('shop'), driver: 'redis', host: 'a.internal' })

/** Path of a connection of its own. */
async function registered(world: FeedWorld): Promise<string> {
  const { data } = await world.perform('POST', '/database-connections', { body: databaseBody() })
  return `/database-connections/${data['slug']}`
}

async function rootNode(world: FeedWorld): Promise<number> {
  const id = await plainNode(world)
  await world.fleet.store.db.updateTable('nodes').set({ user: 'root' }).where('id', '=', id).execute()
  return id
}

/** A Process of a Node where whoever runs the tests is root. */
async function processBody(world: FeedWorld) {
  const id = await rootNode(world)
  return {
    target_type: 'node',
    target_id: id,
    name: 'queue',
    runtime: 'systemd',
    command: ['/usr/bin/true'],
  } as const
}

const processAction =
  (action: 'start' | 'stop' | 'restart'): Scenario =>
  async (world) => {
    const { data } = await world.perform('POST', '/processes', { body: await processBody(world) })
    await publishes(world, ['POST', `/processes/${data.id}/${action}`], (done) => [
      ['process.status', done.data],
    ])
    await world.fleet.store.db.updateTable('processes').set({ status: 'failed' }).execute()
    await refused(world, ['POST', `/processes/${data.id}/${action}`], 'process.not_active')
  }

/** A Schedule of a Node where whoever runs the tests is root. */
export async function scheduleBody(world: FeedWorld) {
  const id = await rootNode(world)
  return {
    target_type: 'node',
    target_id: id,
    name: 'nightly',
    calendar: 'daily',
    command: 'true',
  } as const
}

/** Every change that exists, as requests over HTTP: what each publishes, and what a repetition and a refusal do not. */
export const TOLD: Readonly<Partial<Record<OperationName, Scenario>>> = {
  'project:create': async (world) => {
    const body = projectBody(world)
    await publishes(world, ['POST', '/projects', { body }], async ({ data }) => {
      const { excluded_nodes: _only, open_update: _none, ...shown } = await world.read(`/projects/${data.id}`)
      return [['project.created', shown]]
    })
    await publishes(world, ['POST', '/projects', { body }], nothing)
    const other = { ...body, type: 'laravel-package' }
    await refused(world, ['POST', '/projects', { body: other }], 'project.identity_conflict')
  },
  'project:update': async (world) => {
    const id = await makeProject(world)
    const change = ['PATCH', `/projects/${id}`, { body: { task_check: 'npm test' } }] as const
    await publishes(world, change, async () => {
      const { excluded_nodes: _only, open_update: _none, ...shown } = await world.read(`/projects/${id}`)
      return [['project.updated', shown]]
    })
    await publishes(world, change, nothing)
    await refused(world, ['PATCH', `/projects/${id}`, { body: {} }], 'project.update_required')
  },
  'project:destroy': async (world) => {
    const id = await makeProject(world)
    const { slug, name } = await world.read(`/projects/${id}`)
    const made = await instance(world, id)
    await refused(world, ['DELETE', `/projects/${id}`], 'project.has_instances')
    await world.fleet.ask('DELETE', `/api/v1/instances/${made.id}`)
    await publishes(world, ['DELETE', `/projects/${id}`], [['project.deleted', { id, name, slug }]])
  },
  'instance:rename': async (world) => {
    const { id, selected_branch: branch } = await instance(world)
    const path = `/instances/${id}`
    const rename = ['POST', `${path}/rename`, { body: { branch } }] as const
    await publishes(world, rename, async () => [['instance.updated', await world.read(path)]])
    await publishes(world, rename, nothing)
    await refused(world, ['POST', `${path}/rename`, { body: {} }], 'validation.failed')
  },
  ...REPORTED_DEPLOYMENTS,
  'instance:clone': async (world) => {
    const candidate = await production(world)
    const { db } = world.fleet.store
    const { project_id } = await db
      .selectFrom('instances')
      .select('project_id')
      .where('id', '=', candidate)
      .executeTakeFirstOrThrow()
    const node_id = await plainNode(world)
    await addRole(world.fleet.store, { node_id, role: 'app-prod' })
    const body = { node_id, name: unique('live'), preview_name: 'preview' }
    const request = ['POST', `/instances/${candidate}/clone`, { body }] as const
    await refused(world, request, 'instance.clone_candidate_release_missing')
    await db.updateTable('instances').set({ selected_release: 'r1' }).where('id', '=', candidate).execute()
    // Of its steps only the last is missing: no Node of this test has Unix users to make.
    await addInstance(world.fleet.store, {
      project_id,
      node_id,
      name: body.name,
      environment: 'production',
      status: 'source_resolved',
      production_user: 'live',
      clone_candidate_id: candidate,
      clone: {
        preview_name: 'preview',
        branch: null,
        sqlite_source_path: null,
        candidate_source: 'r1',
        done: ['home', 'checkout', 'source', 'profile', 'environment', 'definitions'],
      },
    })
    await publishes(world, request, async (done) => [
      ['instance.created', await world.read(`/instances/${done.data.id}`)],
    ])
    await publishes(world, request, nothing)
  },
  'instance:destroy': async (world) => {
    const { id, name, checkout_path: checkout } = await instance(world)
    writeFileSync(join(checkout, 'mine.txt'), 'work')
    await refused(world, ['DELETE', `/instances/${id}`], 'instance.remove_refused')
    const remove = ['DELETE', `/instances/${id}?force=true`] as const
    await publishes(world, remove, [['instance.deleted', { id, name }]])
    const served = await instance(world)
    const placed = { id: served.id, project_id: await world.project(), node_id: world.fleet.nodes.granted }
    const route = await addRoute(world.fleet.store, placed, { domain: `${unique('shop')}.example` })
    await publishes(
      world,
      ['DELETE', `/instances/${served.id}`],
      [
        ['route.deleted', { id: route.id, domain: route.domain }],
        ['instance.deleted', { id: served.id, name: served.name }],
      ],
    )
  },
  'node:add': async (world) => {
    const { id, name, public_ssh_host } = await enrolled(world)
    const body = { name, public_ssh_host, lan_ip: '192.168.1.9' }
    await publishes(world, ['POST', '/nodes', { body }], nodeUpdated(world, id))
    world.services.breakAt('tunnel.join')
    const other = { name: unique('web'), public_ssh_host: '198.51.100.7' }
    const broken = { ...body, ...other, host_key_fingerprint: FINGERPRINT }
    const { code, events } = await world.perform('POST', '/nodes', { body: broken })
    assert.ok(code)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['activity.created', 'activity.updated'],
    )
    world.services.clearFaults()
  },
  'node:remove': async (world) => {
    const { id, name } = await enrolled(world)
    world.services.owns.routes = 1
    await refused(world, ['DELETE', `/nodes/${id}`], 'node.has_routes')
    world.services.owns.routes = 0
    await publishes(world, ['DELETE', `/nodes/${id}`], [['node.deleted', { id, name }]])
  },
  'node:rename': async (world) => {
    const id = await plainNode(world)
    const rename = ['PATCH', `/nodes/${id}/name`, { body: { name: unique('renamed') } }] as const
    await publishes(world, rename, nodeUpdated(world, id))
    await publishes(world, rename, nothing)
    await refused(world, ['PATCH', `/nodes/${id}/name`, { body: { name: 'gateway' } }], 'node.name_taken')
  },
  'node:settings': async (world) => {
    const id = await plainNode(world, ['app-dev'])
    const settings = (path: string) =>
      ['PATCH', `/nodes/${id}/settings`, { body: { settings: { apps: { path } } } }] as const
    // Not below the temporary folder of the run, which may be in /dev: no apps may be there.
    const apps = join('/tmp', unique('fleet-feed-apps'))
    await publishes(world, settings(apps), nodeUpdated(world, id))
    await publishes(world, settings(apps), nothing)
    await refused(world, settings('relative'), 'node.settings_path_invalid')
    rmSync(apps, { recursive: true, force: true })
  },
  'node:role:add': async (world) => {
    const id = await plainNode(world)
    const add = ['POST', `/nodes/${id}/roles`, { body: { role: 'metrics' } }] as const
    world.services.breakAt('role.metrics.packages')
    await refused(world, add, 'node_role.convergence_failed')
    world.services.clearFaults()
    await publishes(world, add, nodeUpdated(world, id))
    await publishes(world, add, nothing)
    await world.fleet.ask('DELETE', `/api/v1/nodes/${id}/roles/metrics`)
  },
  'node:role:remove': async (world) => {
    const id = await plainNode(world, ['ingress'])
    await refused(world, ['DELETE', `/nodes/${id}/roles/metrics`], 'node_role.not_found')
    await publishes(world, ['DELETE', `/nodes/${id}/roles/ingress`], nodeUpdated(world, id))
  },
  'node:role:relocate': async (world) => {
    const [from, to] = [await plainNode(world, ['metrics']), await plainNode(world)]
    const move = ['POST', `/nodes/${to}/roles/metrics/relocate`, { body: {} }] as const
    world.services.breakAt('roles.requireCapable.metrics')
    const { events } = await world.perform(...move)
    assert.deepEqual(
      events.map(({ data }) => data['status']),
      ['running', 'failed'],
    )
    world.services.clearFaults()
    await publishes(world, move, nodeUpdated(world, to, from))
    await publishes(world, move, nothing)
    await world.fleet.ask('DELETE', `/api/v1/nodes/${to}/roles/metrics`)
  },
  'node:converge': async (world) => {
    const { id } = await enrolled(world)
    await publishes(world, ['POST', `/nodes/${id}/converge`, { body: {} }], nothing)
  },
  'node:firewall:allow': (world) => firewall(world, 'allow'),
  'node:firewall:deny': (world) => firewall(world, 'deny'),
  'node:firewall:remove': async (world) => {
    const { id } = await enrolled(world)
    const path = `/nodes/${id}/firewall-rules`
    const body = { name: 'gone', port: '8081', source: '198.51.100.7' }
    const { data } = await world.perform('POST', `${path}/allow`, { body })
    await publishes(world, ['DELETE', `${path}/gone`], [['firewall.deleted', { id: data.id, name: 'gone' }]])
    await refused(world, ['DELETE', `${path}/gone`], 'firewall.not_found')
  },
  'process:create': async (world) => {
    const create = ['POST', '/processes', { body: await processBody(world) }] as const
    await publishes(world, create, ({ data }) => [['process.created', data]])
    await publishes(world, create, nothing)
    const body = { ...create[2].body, command: ['/usr/bin/false'] }
    await refused(world, ['POST', '/processes', { body }], 'process.name_taken')
  },
  'process:start': processAction('start'),
  'process:stop': processAction('stop'),
  'process:restart': processAction('restart'),
  'process:destroy': async (world) => {
    const { data } = await world.perform('POST', '/processes', { body: await processBody(world) })
    const path = `/processes/${data.id}`
    await publishes(world, ['DELETE', path], [['process.deleted', { id: data.id, name: 'queue' }]])
    await refused(world, ['DELETE', path], 'process.not_found')
  },
  'schedule:create': async (world) => {
    const create = ['POST', '/schedules', { body: await scheduleBody(world) }] as const
    await publishes(world, create, ({ data }) => [['schedule.created', data]])
    await publishes(world, create, nothing)
    const body = { ...create[2].body, command: 'false' }
    await refused(world, ['POST', '/schedules', { body }], 'schedule.retry_conflict')
  },
  'schedule:activate': async (world) => {
    const given = await scheduleBody(world)
    const { id } = await addInstance(world.fleet.store, {
      project_id: await world.project(),
      node_id: given.target_id,
      status: 'active',
    })
    const body = { ...given, target_type: 'instance', target_id: id, start: false }
    const { data } = await world.perform('POST', '/schedules', { body })
    const activate = ['POST', `/schedules/${data['id']}/activate`] as const
    await publishes(world, activate, (done) => [['schedule.updated', done.data]])
    await publishes(world, activate, nothing)
    await world.fleet.store.db.deleteFrom('schedules').execute()
    await refused(world, activate, 'schedule.not_found')
  },
  'schedule:destroy': async (world) => {
    const { data } = await world.perform('POST', '/schedules', { body: await scheduleBody(world) })
    const path = `/schedules/${data['id']}`
    await publishes(world, ['DELETE', path], ({ data: gone }) => {
      const { removed: _, retained_on_nodes: __, ...last } = gone
      return [
        ['schedule.updated', last],
        ['schedule.deleted', { id: data['id'], name: 'nightly' }],
      ]
    })
    await refused(world, ['DELETE', path], 'schedule.not_found')
  },
  ...REPORTED_INSTANCES,
  ...REPORTED_ROUTES,
  'database:create': async (world) => {
    const body = databaseBody()
    await publishes(world, ['POST', '/database-connections', { body }], async ({ data }) => [
      ['database.created', data],
    ])
    await refused(world, ['POST', '/database-connections', { body }], 'database.slug_conflict')
  },
  'database:update': async (world) => {
    const path = await registered(world)
    const change = ['PATCH', path, { body: { host: 'b.internal', password: 'moved' } }] as const
    await publishes(world, change, async ({ data }) => [['database.updated', data]])
    await publishes(world, change, nothing)
    await refused(world, ['PATCH', path, { body: { path: '/a' } }], 'validation.failed')
  },
  'database:destroy': async (world) => {
    const path = await registered(world)
    await publishes(world, ['DELETE', path], ({ data: { id, slug } }) => [['database.deleted', { id, slug }]])
    await refused(world, ['DELETE', path], 'database.not_found')
  },
  'database:user:create': async (world) => {
    const body = { username: 'reader', password: 'x' }
    await refused(world, ['POST', `${await registered(world)}/users`, { body }], 'database.server_required')
  },
  'cluster:node:attach': async (world) => {
    const [id, node] = [await cluster(world), await plainNode(world)]
    const attach = ['PUT', `/clusters/${id}/nodes/${node}`] as const
    await publishes(world, attach, nodeUpdated(world, node))
    await publishes(world, attach, nothing)
    const other = await cluster(world)
    await refused(world, ['PUT', `/clusters/${other}/nodes/${node}`], 'cluster.membership_conflict')
  },
  'cluster:node:detach': async (world) => {
    const [id, node] = [await cluster(world), await plainNode(world)]
    await world.fleet.ask('PUT', `/api/v1/clusters/${id}/nodes/${node}`)
    const detach = ['DELETE', `/clusters/${id}/nodes/${node}`, { body: { force: true } }] as const
    await publishes(world, detach, nodeUpdated(world, node))
  },
}
