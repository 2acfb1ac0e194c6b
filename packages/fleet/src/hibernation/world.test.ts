import { utimesSync } from 'node:fs'
import type { ProcessData, WakePage } from '@fleet/contract'
import type { Row } from '@fleet/store'
import {
  addInstance,
  addProject,
  asCaller,
  type FakeCall,
  fakeCall,
  type ServiceFleet,
  startServiceFleet,
} from '@fleet/testing'
import { type HibernationDomain, makeHibernation } from '#/hibernation/make.ts'
import { HIBERNATION_DEFAULTS, type HibernationDeps } from '#/hibernation/deps.ts'

/** A development Instance with one Process on a Node with `app-dev`, and hibernation over it. */
export interface World extends AsyncDisposable {
  readonly fleet: ServiceFleet
  readonly instance: Row<'instances'>
  /** Of its Project. */
  readonly slug: string
  readonly domain: HibernationDomain
  readonly deps: HibernationDeps
  /** Texts of the commands that ran in checkouts, and how the next ones end. */
  readonly ran: string[]
  end: 'succeeded' | 'failed'
  /** Whether a checkout has dependencies that can be removed. */
  hasPrunable: boolean
  process(more?: Given): Promise<ProcessData>
  isActive(process: Pick<ProcessData, 'id' | 'name'>): boolean
  /** A look at every Instance, and then what it found to do. */
  sweep(): Promise<readonly FakeCall[]>
  /** Runs all work of a kind that waits, and the cold wakes that it goes on as. */
  runWork(kind: string): Promise<readonly FakeCall[]>
  waiting(): Promise<readonly string[]>
  wake(): Promise<WakePage>
  /** Makes a file so many seconds older than now. */
  age(path: string, seconds: number): void
  readonly markers: Readonly<Record<'awake' | 'started' | 'slept' | 'cold' | 'log', string>>
}

interface Given {
  readonly name?: string
  readonly keep_alive?: boolean
  readonly restart_policy?: 'always' | 'never'
  readonly start?: boolean
  readonly instance?: number
  readonly onNode?: true
}

export async function startWorld(settings: Partial<HibernationDeps['settings']> = {}): Promise<World> {
  const fleet = await startServiceFleet()
  const { store, node, domains, host } = fleet
  const project = await addProject(store)
  const instance = await addInstance(store, { project_id: project.id, node_id: node.id, status: 'active' })
  const ran: string[] = []
  let ticks = 0
  const deps: HibernationDeps & Parameters<typeof makeHibernation>[0] = {
    store,
    // Nobody waits here.
    clock: {
      now: () => new Date(),
      ticks: () => ticks,
      sleep: async (milliseconds) => void (ticks += milliseconds),
      timer: () => ({ over: new Promise(() => undefined), [Symbol.dispose]: () => undefined }),
    },
    nodes: domains.nodes.nodes,
    instances: {
      ...domains.instances.instances,
      runCommand: async (_call, _instance, { name, command }) => {
        if (name === 'prune-look') return world.hasPrunable ? 'succeeded' : 'failed'
        ran.push(command)
        return world.end
      },
    },
    processes: domains.processes.sleeping,
    schedules: domains.schedules,
    settings: { ...HIBERNATION_DEFAULTS, ...settings },
    root: host.root,
    webServer: domains.webServer,
  }
  const domain = makeHibernation(deps)
  const call = () => fakeCall({ caller: asCaller(node) })
  const world: World = {
    fleet,
    instance,
    slug: project.slug,
    domain,
    deps,
    ran,
    end: 'succeeded',
    hasPrunable: true,
    markers: {
      awake: `dev/shm/fleet/hibernation/${instance.id}.awake`,
      started: `dev/shm/fleet/hibernation/${instance.id}.started`,
      slept: `var/lib/caddy/fleet-hibernation/${instance.id}.slept`,
      cold: `var/lib/caddy/fleet-hibernation/${instance.id}.cold`,
      log: `var/lib/caddy/fleet-access/${instance.id}.log`,
    },
    process: async ({
      name = 'queue',
      keep_alive = false,
      restart_policy = 'never',
      start = true,
      instance: id = instance.id,
      onNode,
    } = {}) => {
      const owner = onNode
        ? ({ target_type: 'node', target_id: node.id } as const)
        : ({ target_type: 'instance', target_id: id } as const)
      const input = {
        ...owner,
        name,
        keep_alive,
        restart_policy,
        start,
        runtime: 'systemd' as const,
        command: ['/usr/bin/true'],
      }
      return (await domains.processes.handlers['process:create']({ call: call(), input })).data
    },
    isActive: ({ id, name }) => host.systemd.isActive(`orbit-process-${id}-${name}.service`),
    sweep: async () => {
      await kindOf(domain, 'hibernation:sweep').run(call(), null)
      return [...(await world.runWork('instance:sleep')), ...(await world.runWork('instance:prune'))]
    },
    runWork: async (kind) => {
      const calls: FakeCall[] = []
      const waits = () =>
        store.db
          .selectFrom('work')
          .select(['id', 'kind', 'payload'])
          .where('kind', 'in', [kind, `${kind}-cold`])
          .orderBy('id')
          .executeTakeFirst()
      for (let row = await waits(); row; row = await waits()) {
        await store.db.deleteFrom('work').where('id', '=', row.id).execute()
        const one = call()
        calls.push(one)
        await kindOf(domain, row.kind).run(one, JSON.parse(row.payload))
      }
      return calls
    },
    waiting: async () => {
      const rows = await store.db
        .selectFrom('work')
        .select(['kind', 'key'])
        .where('kind', 'like', 'instance:%')
        .orderBy('id')
        .execute()
      return rows.map(({ kind, key }) => `${kind} ${key}`)
    },
    wake: async () =>
      (await domain.handlers['instance:wake']({ call: call(), input: { instance: instance.id } })).data,
    age: (path, seconds) => {
      const at = Date.now() / 1000 - seconds
      utimesSync(host.at(path), at, at)
    },
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
  return world
}

function kindOf(domain: HibernationDomain, name: string) {
  const kind = domain.workKinds.find((one) => one.name === name)
  if (!kind) throw new Error(`there is no work ${name}`)
  return kind
}
