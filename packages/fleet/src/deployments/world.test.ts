import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { DeploymentLine, DeploymentStepData } from '@fleet/contract'
import type { NewRow, Row, Store } from '@fleet/store'
import { addInstance, type FakeCall, fakeCall, mortalDomains, testDomains } from '@fleet/testing'
import { type InstancesFleet, startInstancesFleet } from '@fleet/testing/instances-fleet'
import type { ProductionPhp } from '#/deployments/ports.ts'
import type { PageAnswer } from '#/php/api.ts'
import type { SourceAccess } from '#/source-access/api.ts'
import type { DeploymentsDomain } from '#/deployments/make.ts'

type Result = Extract<DeploymentLine, { type: 'result' }>

/** A production Instance as a record, its home on this machine, and the domain over real scripts and real Git. */
export interface World extends AsyncDisposable {
  readonly fleet: InstancesFleet
  readonly store: Store
  readonly instance: Row<'instances'>
  readonly home: string
  readonly domain: DeploymentsDomain
  readonly php: {
    has: boolean
    fails: Error | undefined
    /** The service cannot run the release. */
    refuses: Error | undefined
    readonly checked: string[]
    readonly refreshed: string[]
    /** What the new release answers; undefined where nobody could ask it. */
    health: PageAnswer | undefined
    /** `release path current` of each health request. */
    readonly asked: string[]
  }
  /** What the web server may read of a release. */
  readonly access: { refuses: Error | undefined }
  /** The lines of a deployment, with the call. */
  deploy(given?: Given & { readonly input?: { readonly health_path?: string } }): Promise<Ran>
  rollback(release: string, given?: Given): Promise<Ran>
  rows(): Promise<Row<'deployments'>[]>
  row(): Promise<Row<'deployments'>>
  stored(): Promise<Row<'instances'>>
  steps(...steps: readonly (Partial<DeploymentStepData> & { readonly name: string })[]): Promise<void>
  /** What `current` leads to. */
  current(): string | undefined
  releases(): readonly string[]
  /** The domain; over another store. */
  rebuild(store?: Store): DeploymentsDomain
  /** The domain, to which something happens whenever a request begins to wait for a lock. */
  waiting(happens: () => Promise<unknown>): DeploymentsDomain
  mortal: typeof mortalDomains
}

interface Given {
  readonly call?: Parameters<typeof fakeCall>[0]
  readonly domain?: DeploymentsDomain
}

export interface Ran {
  readonly call: FakeCall
  readonly lines: readonly DeploymentLine[]
  readonly result: Result
  readonly failure: string | undefined
  /** `phase` or `phase/step`, in order. */
  readonly phases: readonly string[]
  /** What was printed, both outputs together. */
  readonly printed: string
}

export async function startWorld(
  given: Partial<NewRow<'instances'>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<World> {
  const fleet = await startInstancesFleet({ env })
  const { store, node } = fleet
  const environment = given.environment ?? 'production'
  const home = join(fleet.home, 'home', 'shop')
  const user = userInfo().username
  await store.db.updateTable('nodes').set({ user }).where('id', '=', node.id).execute()
  mkdirSync(home, { recursive: true })
  if (environment === 'production')
    await store.db
      .updateTable('node_roles')
      .set({ role: 'app-prod' })
      .where('node_id', '=', node.id)
      .execute()
  const instance = await addInstance(store, {
    project_id: fleet.project.id,
    node_id: node.id,
    name: 'live',
    environment,
    // Of this world alone: processes of a step are found by it.
    preparation_id: randomUUID(),
    ...(environment === 'production'
      ? { production_user: user, production_home: home, checkout_path: join(home, 'current') }
      : {}),
    ...given,
  })
  const php: World['php'] = {
    has: false,
    fails: undefined,
    refuses: undefined,
    checked: [],
    refreshed: [],
    health: undefined,
    asked: [],
  }
  const productionPhp: ProductionPhp = {
    hasService: async () => php.has,
    requireRunnable: async (_session, _instance, release) => {
      if (php.refuses) throw php.refuses
      php.checked.push(release)
    },
    health: async (_session, _instance, { release, path }) => {
      const link = join(home, 'current')
      php.asked.push(`${release} ${path} ${existsSync(link) ? readlinkSync(link) : 'none'}`)
      return php.health
    },
    refresh: async () => {
      php.refreshed.push(readlinkSync(join(home, 'current')))
      if (php.fails) throw php.fails
    },
  }
  const access: World['access'] = { refuses: undefined }
  const sourceAccess: SourceAccess = {
    apply: async () => ({ warnings: [] }),
    check: async () => {},
    open: async () => {
      if (access.refuses) throw access.refuses
      return { warnings: [] }
    },
  }
  const rebuild = (over = store): DeploymentsDomain =>
    testDomains({ store: over, ssh: fleet.pool }, { productionPhp, sourceAccess }).deployments
  const domain = rebuild()
  const rows = () => store.db.selectFrom('deployments').selectAll().orderBy('id').execute()
  const world: World = {
    fleet,
    store,
    instance,
    home,
    domain,
    php,
    access,
    rebuild,
    waiting: (happens) => {
      const acquire: Store['locks']['acquire'] = async (request) => {
        await happens()
        return store.locks.acquire(request)
      }
      return rebuild({ ...store, locks: { ...store.locks, acquire } })
    },
    mortal: (deps, moment, fakes) => mortalDomains(deps, moment, { productionPhp, ...fakes }),
    deploy: ({ call, domain: chosen = domain, input } = {}) =>
      ran(call, (fake) =>
        chosen.handlers['instance:deploy']({ call: fake, input: { instance: instance.id, ...input } }),
      ),
    rollback: (release, { call, domain: chosen = domain } = {}) =>
      ran(call, (fake) =>
        chosen.handlers['instance:rollback']({ call: fake, input: { instance: instance.id, release } }),
      ),
    rows,
    row: async () => (await rows()).at(-1) ?? never(),
    stored: () =>
      store.db.selectFrom('instances').selectAll().where('id', '=', instance.id).executeTakeFirstOrThrow(),
    steps: async (...steps) => {
      const deploy_steps = steps.map((step) => ({
        phase: 'before_activation' as const,
        command: 'true',
        timeout_seconds: 30,
        ...step,
      }))
      await store.db.updateTable('instances').set({ deploy_steps }).where('id', '=', instance.id).execute()
    },
    current: () => {
      const link = join(home, 'current')
      return existsSync(link) ? readlinkSync(link) : undefined
    },
    releases: () =>
      existsSync(join(home, 'releases')) ? readdirSync(join(home, 'releases')).toSorted() : [],
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
  return world
}

/** Everything that the domain does without a request, as it is due at once. */
export async function sweep({ domain, store }: World): Promise<void> {
  const kind = (name: string) => domain.workKinds.find((known) => known.name === name) ?? assert.fail(name)
  await kind('deployment:find-interrupted').run(fakeCall(), null)
  const due = await store.db.selectFrom('work').selectAll().where('kind', '=', 'deployment:settle').execute()
  for (const { payload } of due) await kind('deployment:settle').run(fakeCall(), JSON.parse(payload))
  await store.db.deleteFrom('work').execute()
}

const never = (): never => {
  throw new Error('nothing was deployed')
}

async function ran(
  given: Parameters<typeof fakeCall>[0],
  work: (call: FakeCall) => ReturnType<DeploymentsDomain['handlers']['instance:deploy']>,
): Promise<Ran> {
  const lines: DeploymentLine[] = []
  const emit = async (line: unknown): Promise<void> => {
    lines.push(line as DeploymentLine) // The domain writes nothing else.
    await given?.emit?.(line)
  }
  const call = fakeCall({ ...given, emit })
  const { data, failure } = await work(call)
  const result = data as Result // The last line is the result.
  return {
    call,
    lines: [...lines, result],
    result,
    failure: failure?.code,
    phases: lines.flatMap((line) =>
      line.type === 'phase' ? [line.step_name === null ? line.phase : `${line.phase}/${line.step_name}`] : [],
    ),
    printed: lines
      .flatMap((line) => (line.type === 'output' ? [Buffer.from(line.data_base64, 'base64').toString()] : []))
      .join(''),
  }
}
