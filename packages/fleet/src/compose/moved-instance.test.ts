import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row, Store } from '@fleet/store'
import {
  addGatewayNode,
  addInstance,
  addNode,
  addProcess,
  addProject,
  addRoute,
  addSchedule,
  fakeCall,
  localPool,
  openTestStore,
  testDomains,
  testServices,
} from '@fleet/testing'
import type { Handlers } from '#/handler.ts'

interface Town {
  readonly instance: Row<'instances'>
  /** Neither Node of the Instance. */
  readonly third: Row<'nodes'>
  readonly process: Row<'processes'>
  readonly schedule: Row<'schedules'>
  readonly route: Row<'routes'>
  /** Of the same Project, and leads nowhere. */
  readonly idle: Row<'routes'>
}

type Ask = (handlers: Handlers, town: Town) => Promise<unknown>

const call = fakeCall
/** Every operation on an Instance that waits for a lock of it, with the code for one that is used. */
const ASKED: Readonly<Record<string, readonly [busy: string, ask: Ask]>> = {
  'env:update': [
    'env.operation_busy',
    (handlers, { instance: { id } }) =>
      handlers['env:update']({ call: call(), input: { instance: id, key: 'A', value: 'b' } }),
  ],
  'env:sync': [
    'env.operation_busy',
    (handlers, { instance: { id } }) => handlers['env:sync']({ call: call(), input: { instance: id } }),
  ],
  'env:import': [
    'env.operation_busy',
    (handlers, { instance: { id } }) => handlers['env:import']({ call: call(), input: { instance: id } }),
  ],
  'instance:database:add': [
    'env.operation_busy',
    (handlers, { instance: { id } }) =>
      handlers['instance:database:add']({
        call: call(),
        input: { instance: id, slug: 'shop', prefix: 'DB' },
      }),
  ],
  'instance:database:remove': [
    'env.operation_busy',
    (handlers, { instance: { id } }) =>
      handlers['instance:database:remove']({ call: call(), input: { instance: id, slug: 'shop' } }),
  ],
  'instance:dependencies:scan': [
    'dependencies.operation_busy',
    (handlers, { instance: { id } }) =>
      handlers['instance:dependencies:scan']({ call: call(), input: { instance: id } }),
  ],
  'instance:dependencies:update': [
    'dependencies.operation_busy',
    (handlers, { instance: { id } }) =>
      handlers['instance:dependencies:update']({ call: call(), input: { instance: id } }),
  ],
  'instance:deploy': [
    'deployment.operation_busy',
    (handlers, { instance: { id } }) =>
      handlers['instance:deploy']({ call: call(), input: { instance: id } }),
  ],
  'instance:setup': [
    'instance.lifecycle_busy',
    (handlers, { instance: { id } }) => handlers['instance:setup']({ call: call(), input: { instance: id } }),
  ],
  'instance:rename': [
    'instance.lifecycle_busy',
    (handlers, { instance: { id } }) =>
      handlers['instance:rename']({ call: call(), input: { instance: id, branch: 'other' } }),
  ],
  'instance:destroy': [
    'instance.lifecycle_busy',
    (handlers, { instance: { id } }) =>
      handlers['instance:destroy']({ call: call(), input: { instance: id } }),
  ],
  'instance:transfer': [
    'instance.lifecycle_busy',
    (handlers, { instance: { id }, third }) =>
      handlers['instance:transfer']({ call: call(), input: { instance: id, node_id: third.id } }),
  ],
  'instance:clone': [
    'instance.lifecycle_busy',
    (handlers, { instance: { id }, third }) =>
      handlers['instance:clone']({
        call: call(),
        input: { candidate: id, node_id: third.id, name: 'live', preview_name: 'live' },
      }),
  ],
  'process:create': [
    'process.operation_busy',
    (handlers, { instance: { id } }) =>
      handlers['process:create']({
        call: call(),
        input: {
          target_type: 'instance',
          target_id: id,
          name: 'worker',
          runtime: 'systemd',
          command: ['/bin/true'],
        },
      }),
  ],
  'process:start': [
    'process.operation_busy',
    (handlers, { process: { id } }) => handlers['process:start']({ call: call(), input: { process: id } }),
  ],
  'process:destroy': [
    'process.operation_busy',
    (handlers, { process: { id } }) =>
      handlers['process:destroy']({ call: call(), input: { process: id, offline: false } }),
  ],
  'schedule:create': [
    'schedule.operation_busy',
    (handlers, { instance: { id } }) =>
      handlers['schedule:create']({
        call: call(),
        input: {
          target_type: 'instance',
          target_id: id,
          name: 'hourly',
          calendar: 'hourly',
          command: 'true',
          timeout_seconds: 60,
          start: false,
        },
      }),
  ],
  'schedule:run': [
    'schedule.operation_busy',
    (handlers, { schedule: { id } }) => handlers['schedule:run']({ call: call(), input: { schedule: id } }),
  ],
  'route:create': [
    'env.operation_busy',
    (handlers, { instance: { id } }) =>
      handlers['route:create']({ call: call(), input: { instance_id: id, domain: 'new.example.com' } }),
  ],
  'route:update': [
    'route.busy',
    (handlers, { route: { id } }) =>
      handlers['route:update']({ call: call(), input: { route: id, publication: 'public' } }),
  ],
  'route:target:set': [
    'env.operation_busy',
    (handlers, { instance, idle: { id } }) =>
      handlers['route:target:set']({ call: call(), input: { route: id, instance_id: instance.id } }),
  ],
}

/** The Instance moves when somebody is about to get a lock of it, as when a transfer had that until then. */
const movingAt = (store: Store, moves: () => Promise<void>, isOf: (name: string) => boolean): Store => ({
  ...store,
  locks: {
    holderOf: (name) => store.locks.holderOf(name),
    acquire: async (request) => {
      if (isOf(request.name)) await moves()
      return store.locks.acquire(request)
    },
  },
})

async function startTown(store: Store): Promise<Town & { readonly other: Row<'nodes'> }> {
  await addGatewayNode(store)
  const settings = { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' }
  await testDomains({ store }).network.configure(settings)
  const [node, other] = [await addNode(store, { name: 'one' }), await addNode(store, { name: 'two' })]
  const third = await addNode(store, { name: 'three', roles: ['app-prod'] })
  const { id: project_id } = await addProject(store)
  const profile = { application_directory: '', framework: null, php: false } as const
  const placed = { project_id, node_id: node.id }
  const instance = await addInstance(store, { ...placed, name: 'default', profile })
  const idle = await addRoute(store, instance, { domain: 'idle.example.com' })
  await store.db.deleteFrom('route_targets').execute()
  return {
    instance,
    other,
    third,
    process: await addProcess(store, { instance_id: instance.id }),
    schedule: await addSchedule(store, { instance_id: instance.id }),
    route: await addRoute(store, instance, { domain: 'own.example.com' }),
    idle,
  }
}

for (const [operation, [busy, ask]] of Object.entries(ASKED))
  test(`${operation} follows its Instance to no Node that the request did not find it on`, async () => {
    await using store = await openTestStore()
    const town = await startTown(store)
    const { id, project_id, name } = town.instance
    const move = async (): Promise<void> => {
      const to = { node_id: town.other.id }
      await store.db.updateTable('instances').set(to).where('id', '=', id).execute()
      await store.db.updateTable('routes').set(to).where('id', '=', town.route.id).execute()
    }
    const names = [`instance:${id}:operation`, `instance:${project_id}:${name}:lifecycle`]
    const ssh = localPool({ home: '/nowhere' })
    const through = movingAt(store, move, (lock) => names.includes(lock))
    const { handlers } = testServices({ store: through, ssh })
    await assert.rejects(ask(handlers, town), { code: busy, message: /moved to another Node/ })
    assert.deepEqual(ssh.commands, [])
  })
