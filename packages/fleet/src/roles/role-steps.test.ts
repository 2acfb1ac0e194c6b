import { after } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { testStepList } from '@fleet/steps/testing'
import type { Store } from '@fleet/store'
import {
  addNode,
  addRole,
  fakeCall,
  type FakeNodeServices,
  fakeNodeServices,
  openTestStore,
  scriptedPool,
} from '@fleet/testing'
import { findRole, makeSessions, type NodeRecord, putRoleSettings, readRoleSettings } from '#/nodes/api.ts'
import { convergenceOf, type RoleDeps } from './converge.ts'
import { closeInterruptedRoles } from './interrupted.ts'
import { relocationOf } from './move.ts'
import { moveOf } from './relocation-rules.ts'
import { removalOf } from './remove.ts'
import { roleLog, roleSteps, type RoleWork } from './role-steps.ts'

let opened: Promise<Store> | undefined
after(async () => (await opened)?.[Symbol.asyncDispose]())

interface World {
  readonly deps: RoleDeps
  readonly services: FakeNodeServices
  readonly node: NodeRecord
  /** Where a role that moves comes from. */
  readonly source: NodeRecord
}

interface Given extends RoleWork {
  readonly world: World
}

/** A Node whose only role is this one, and the services that know it. */
async function addHolder({ deps: { store }, services: { world } }: World, node: NodeRecord, role: Role) {
  const row = await addRole(store, { node_id: node.id, role })
  for (const set of [world.managedDns, world.exporters]) set.add(node.name)
  world.roles.add(`${node.name} ${role}`)
  return row
}

type Role = 'app-dev' | 'gateway' | 'websocket'

interface Work {
  readonly prepare: (world: World) => Promise<unknown>
  /** What the request does, from the records as they are; undefined when they leave nothing to do. */
  readonly ask: (world: World) => Promise<Pick<RoleWork, 'call' | 'steps'> | undefined>
}

const sessionOf = (node: NodeRecord) => makeSessions(scriptedPool()).overTunnel(fakeCall(), node)

const moving = (role: Role): Work['ask'] => {
  return async ({ deps, node, source }) => {
    const rows = [
      await findRole(deps.store.db, node.id, role),
      await findRole(deps.store.db, source.id, role),
    ]
    const holders = rows.filter((row) => row !== undefined)
    const from = rows[0] && source.id
    const move = moveOf({ role, target: node.id, from, holders })
    if (move.kind === 'none') return undefined
    const settle = async (): Promise<void> => undefined
    return relocationOf(deps, { role, target: sessionOf(node), source: sessionOf(source), move, settle })
  }
}

const holding =
  (role: Role): Work['prepare'] =>
  async (world) => {
    const row = await addHolder(world, world.source, role)
    await putRoleSettings(world.deps.store, row, { app_key: 'key' })
  }

const WORKS: Readonly<Record<string, Work>> = {
  converge: {
    prepare: async () => undefined,
    ask: async ({ deps, node }) => {
      const session = sessionOf(node)
      return { call: session.call, steps: convergenceOf(deps, session, 'app-dev') }
    },
  },
  remove: {
    prepare: (world) => addHolder(world, world.node, 'app-dev'),
    ask: async ({ deps, node }) => {
      const session = sessionOf(node)
      return { call: session.call, steps: await removalOf(deps, session, 'app-dev', { purgeData: false }) }
    },
  },
  'relocate gateway': { prepare: holding('gateway'), ask: moving('gateway') },
  'relocate websocket': { prepare: holding('websocket'), ask: moving('websocket') },
  'complete a move': {
    prepare: async (world) => {
      await holding('websocket')(world)
      const { store } = world.deps
      await addRole(store, {
        node_id: world.node.id,
        role: 'websocket',
        status: 'failed',
        failed_step: 'converge:a',
      })
      await store.db
        .updateTable('node_roles')
        .set({ status: 'removing' })
        .where('node_id', '=', world.source.id)
        .execute()
    },
    ask: moving('websocket'),
  },
}

async function fresh({ prepare, ask }: Work): Promise<Given> {
  const store = await (opened ??= openTestStore())
  const services = fakeNodeServices()
  const node = { ...(await addNode(store, { roles: [] })), activeRoles: [] }
  const source = { ...(await addNode(store, { roles: [] })), activeRoles: [] }
  const world: World = { deps: { store, clock: systemClock, services }, services, node, source }
  await prepare(world)
  services.world.publicSsh.add(node.name)
  const work = await ask(world)
  if (!work) throw new Error('there is nothing to do')
  return { ...work, store, world }
}

/** What the services made of both Nodes, and the assignments with their settings. */
async function view({ store, world: { services, node, source } }: Given): Promise<unknown> {
  const names = [node.name, source.name]
  const sets = Object.entries(services.world).flatMap(([what, set]) =>
    set instanceof Set ? names.map((name, index) => [what, index, set.has(name)]) : [],
  )
  const roles = (['app-dev', 'gateway', 'websocket'] as const).map((role) => [
    role,
    ...names.map((name) => services.world.roles.has(`${name} ${role}`)),
  ])
  const rows = await store.db
    .selectFrom('node_roles')
    .selectAll()
    .where('node_id', 'in', [node.id, source.id])
    .orderBy('node_id')
    .execute()
  const assignments = rows.map((row) => [
    row.node_id === node.id ? 'target' : 'source',
    row.role,
    row.status,
    row.failed_step,
    readRoleSettings(store, row),
  ])
  return { sets, roles, assignments }
}

for (const [variant, work] of Object.entries(WORKS))
  testStepList<Given>('role-steps', {
    variant,
    list: roleSteps,
    fresh: () => fresh(work),
    view,
    log: roleLog,
    again: async ({ store, world }) => {
      await closeInterruptedRoles(store)
      const left = await work.ask(world)
      return left && { ...left, store, world }
    },
  })
