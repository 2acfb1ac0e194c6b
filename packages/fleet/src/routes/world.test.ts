import type { ErrorCode, InputOf } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import type { DialectName, Store } from '@fleet/store'
import {
  addGatewayNode,
  addNode,
  addProject,
  checkoutPool,
  type Domains,
  fakeCall,
  FakeCheckouts,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import { makeMortal, type Moment, type Mortal } from '@fleet/testing/death'
import type { Environment } from '#/environment/api.ts'
import type { InstancesDomain } from '#/instances/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { RoutesDomain } from '#/routes/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { fakeMachines, newMachine, type State, type Trouble } from '#/routes/fake-machines.test.ts'

export type { Trouble } from '#/routes/fake-machines.test.ts'

export interface World extends State, AsyncDisposable {
  readonly store: Store
  /** What the process did. */
  readonly mortal: Mortal
  readonly checkouts: FakeCheckouts
  readonly deps: RoutesDeps
  readonly routes: RoutesDomain
  readonly instances: InstancesDomain
  readonly environment: Environment
  readonly node: NodeRecord
  /** Milliseconds that the process waited. */
  readonly slept: readonly number[]
}

export interface WorldOptions {
  readonly dialect?: DialectName
  /** An earlier world, whose store, machine and names this one has: another process of the same gateway. */
  readonly after?: World
  /** When that process dies. */
  readonly moment?: Moment
  /** What stands between that process and the store. */
  readonly behind?: (store: Store) => Store
}

async function addNodes(store: Store): Promise<number> {
  await addGatewayNode(store)
  const { id } = await addNode(store, { name: 'web-1', wireguard_ip: '10.44.0.7', tld: 'test' })
  return id
}

/** A gateway and one Node whose machine is three sets. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { after, moment, behind = (given) => given } = options
  const opened = after?.store ?? (await openTestStore(options.dialect ? { dialect: options.dialect } : {}))
  const id = after ? after.node.id : await addNodes(opened)
  const checkouts = after?.checkouts ?? new FakeCheckouts()
  const mortal = makeMortal(opened, checkoutPool(checkouts), moment)
  const store = behind(after ? mortal.store : opened)
  const machine = after?.machine ?? newMachine()
  const machines = new Map(after?.machines ?? [[id, machine]])
  const slept: number[] = []
  const state: State = {
    machine,
    machines,
    environments: after?.environments ?? new Map(),
    names: after?.names ?? new Set<string>(),
    done: [],
    builds: [],
    broken: new Map<Trouble, ErrorCode>(),
    answers: true,
    listeners: [],
    silent: checkouts.silent,
    worksAfter: undefined,
    php: '8.2',
    schedules: [],
    lacksDocker: new Set(),
    hasKeysOfItsOwn: false,
    hasNoDirectories: false,
    runsNoPhp: false,
  }
  const sleep = (milliseconds: number) => mortal.around(async () => void slept.push(milliseconds))
  const domains: Domains = testDomains({ store, ssh: mortal.ssh, clock: { ...systemClock, sleep } }, (real) =>
    fakeMachines(
      {
        id,
        store,
        mortal,
        checkouts,
        state,
        machines,
        names: () => domains.routes.names.list(),
        isPublic: (nodeId) => domains.routes.edge.servesPublicRoutes(nodeId),
      },
      real,
    ),
  )
  const node = await domains.nodes.nodes.find(id)
  if (!node) throw new Error('the Node of the test is gone')
  return Object.assign(state, {
    store,
    mortal,
    checkouts,
    deps: domains.routesDeps,
    routes: domains.routes,
    instances: domains.instances,
    environment: domains.environment,
    node,
    slept,
    [Symbol.asyncDispose]: async () => {
      if (!after) await store[Symbol.asyncDispose]()
    },
  })
}

export const UPSTREAM = 'http://127.0.0.1:8025'

/** `route:create` of a custom proxy on the Node of the world. */
export const create = (world: World, given: Record<string, unknown> = {}, call = fakeCall()) =>
  world.routes.handlers['route:create']({
    call,
    input: { domain: 'mail.internal', node_id: world.node.id, upstream: UPSTREAM, ...given },
  })

/** `route:create` of a Route to an Instance. */
export const createFor = (
  world: World,
  instance_id: number,
  given: Partial<InputOf<'route:create'>> = {},
  call = fakeCall(),
) =>
  world.routes.handlers['route:create']({
    call,
    input: { domain: 'admin.example', instance_id, ...given },
  })

export const update = (
  world: World,
  route: number,
  given: Omit<InputOf<'route:update'>, 'route'>,
  call = fakeCall(),
) => world.routes.handlers['route:update']({ call, input: { route, ...given } })

export const setTarget = (world: World, route: number, instance_id: number, call = fakeCall()) =>
  world.routes.handlers['route:target:set']({ call, input: { route, instance_id } })

export const setTargets = (
  world: World,
  route: number,
  targets: readonly number[],
  given: Pick<InputOf<'route:target:set'>, 'dispositions'> = {},
  call = fakeCall(),
) =>
  world.routes.handlers['route:target:set']({
    call,
    input: { route, targets: [...targets], ...given },
  })

export const unsetTarget = (world: World, route: number, call = fakeCall()) =>
  world.routes.handlers['route:target:unset']({ call, input: { route } })

export const destroy = (world: World, route: number, offline = false, call = fakeCall()) =>
  world.routes.handlers['route:destroy']({ call, input: { route, offline } })

/** A Project whose Instances are served. */
export const addApp = (world: World, given: Parameters<typeof addProject>[1] = {}) =>
  addProject(world.store, {
    slug: 'shop',
    type: 'laravel-app',
    root: 'public',
    repository_url: 'https://example.com/app.git',
    ...given,
  })

/** `instance:create` of a Project on the Node of the world. */
export const createInstance = (
  world: World,
  given: Partial<InputOf<'instance:create'>> & { readonly project_id: number },
  call = fakeCall(),
) => {
  const input = { node_id: world.node.id, name: 'default', ...given }
  return world.instances.handlers['instance:create']({ call, input })
}

export const destroyInstance = (
  world: World,
  instance: number,
  given: { readonly force?: boolean; readonly offline?: boolean } = {},
  call = fakeCall(),
) => world.instances.handlers['instance:destroy']({ call, input: { instance, ...given } })
