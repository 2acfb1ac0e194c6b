import { after } from 'node:test'
import { systemClock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { testStepList } from '@fleet/steps/testing'
import {
  addNode,
  addRole,
  fakeCall,
  type FakeNodeServices,
  fakeNodeServices,
  openTestStore,
  scriptedPool,
} from '@fleet/testing'
import { claimRole, makeSessions, type NodeRecord } from '#/nodes/api.ts'
import { claimOf } from './claims.ts'
import { convergenceSteps } from './converge.ts'
import { removalSteps } from './remove.ts'
import { roleLog, roleSteps, type RoleWork } from './role-steps.ts'

let opened: Promise<Store> | undefined
after(async () => (await opened)?.[Symbol.asyncDispose]())

interface Given extends RoleWork {
  readonly services: FakeNodeServices
  readonly node: NodeRecord
}

/** The claim of a request for the role, and its steps. */
async function request(services: FakeNodeServices, node: NodeRecord, kind: RoleWork['kind']): Promise<Given> {
  const store = await (opened ??= openTestStore())
  const session = makeSessions(scriptedPool()).overTunnel(fakeCall(), node)
  const status = kind === 'converge' ? 'provisioning' : 'removing'
  const claim = await claimRole(store.db, claimOf(node.id, 'app-dev', status, systemClock))
  const steps =
    kind === 'converge'
      ? convergenceSteps(services, session, 'app-dev', false)
      : removalSteps({ services }, session, 'app-dev', { isLast: true, purgeData: false })
  return { store, kind, session, claim, steps, services, node }
}

async function fresh(kind: RoleWork['kind']): Promise<Given> {
  const store = await (opened ??= openTestStore())
  const services = fakeNodeServices()
  const node = { ...(await addNode(store, { roles: [] })), activeRoles: [] }
  const { world } = services
  if (kind === 'remove') {
    await addRole(store, { node_id: node.id, role: 'app-dev' })
    for (const set of [world.managedDns, world.exporters]) set.add(node.name)
    world.roles.add(`${node.name} app-dev`)
  } else world.publicSsh.add(node.name)
  return request(services, node, kind)
}

for (const kind of ['converge', 'remove'] as const)
  testStepList<Given>('role-steps', {
    variant: kind,
    list: roleSteps,
    fresh: () => fresh(kind),
    view: ({ services: { world }, node: { name } }) => ({
      sets: Object.entries(world).flatMap(([what, set]) =>
        set instanceof Set && set.has(name) ? [what] : [],
      ),
      roles: world.roles.has(`${name} app-dev`),
    }),
    log: roleLog,
    again: ({ services, node }) => request(services, node, kind),
  })
