import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fail, type InputOf } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import {
  addCluster,
  addInstance,
  addNode,
  addProject,
  addRole,
  addRoute,
  fakeCall,
  localPool,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import { insertRoute } from '#/routes/queries.ts'

interface World extends AsyncDisposable {
  update(given: Omit<InputOf<'route:update'>, 'route'>): Promise<unknown>
  sync(): Promise<unknown>
  /** The next publication of names fails. */
  breakNames(): void
  file(): string
  append(line: string): void
  /** Another Instance beside it, both behind the Router of a Cluster on their own Node; its id. */
  addSecond(): Promise<number>
  /** The Route leads to the one, and the other one goes to a Route of its own, `spare.example`. */
  exchange(next: number, previous: number): Promise<unknown>
  store(instance: number, values: Readonly<Record<string, string>>): Promise<void>
  fileOf(name: string): string
  readonly instance: number
  /** The Instance is no longer where a `.env` may be. */
  loseRole(): Promise<void>
}

/** A production Instance whose home is a folder of this machine, with stored values, and its own Route. */
async function startWorld(): Promise<World> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-home-')))
  mkdirSync(join(home, 'shop'))
  const store = await openTestStore()
  const { username: user } = userInfo()
  const node = await addNode(store, { roles: ['app-prod'], user, user_home: home })
  const project = await addProject(store, { type: 'laravel-app', root: 'public' })
  const instance = await addInstance(store, {
    project_id: project.id,
    node_id: node.id,
    environment: 'production',
    production_user: user,
    production_home: join(home, 'shop'),
    checkout_path: join(home, 'shop/releases/r1'),
    profile: { application_directory: '', framework: null, php: false },
  })
  await addRoute(store, instance, { has_site: 1, has_name: 1 })
  let isBroken = false
  const names = {
    publish: async () => {
      if (!isBroken) return
      isBroken = false
      throw fail('node.unreachable')
    },
    confirm: async () => 'unchanged' as const,
    idle: async () => undefined,
    publishWithout: async () => 0,
  }
  const nothing = { checks: { family: 'role', checksOf: async () => [] } } as const
  const domains = testDomains(
    { store, ssh: localPool({ home }), clock: { ...systemClock, sleep: async () => undefined } },
    {
      webServer: {
        ...nothing,
        build: async () => 'applied',
        artifact: { name: 'caddy', digest: async () => undefined, converge: async () => 'unchanged' },
      },
      certificates: {
        checks: [nothing.checks],
        trust: { install: async () => 'installed', remove: async () => undefined },
        publishLeaf: async () => 'published',
        publishLeaves: async () => [],
        confirmLoaded: async () => undefined,
        loadWaiting: async () => undefined,
        requireSigning: () => undefined,
        isLeafDue: async () => false,
        withdrawLeaf: async () => undefined,
        judgeFile: () => undefined,
        inspectServed: async () => undefined,
      },
      sourceAccess: {
        apply: async () => ({ warnings: [] }),
        check: async () => undefined,
        open: async () => ({ warnings: [] }),
      },
      dns: {
        ...nothing,
        names,
        answersTo: async () => new Map(),
        publishAs: async () => undefined,
        ensure: async () => undefined,
        remove: async () => undefined,
        artifact: { name: 'private-dns', digest: async () => undefined, converge: async () => 'unchanged' },
      },
    },
  )
  await domains.network.configure({ range: '10.0.0.0/8', hubPort: 51_820, endpoint: null, suffix: 'fleet' })
  const { handlers } = domains.environment
  const path = join(home, 'shop/.env')
  const value = 'https://{{instance.domain}}'
  await handlers['env:update']({ call: fakeCall(), input: { instance: instance.id, key: 'APP_URL', value } })
  return {
    update: async (given) => {
      const { id } = await store.db.selectFrom('routes').select('id').executeTakeFirstOrThrow()
      return domains.routes.handlers['route:update']({ call: fakeCall(), input: { route: id, ...given } })
    },
    sync: () => handlers['env:sync']({ call: fakeCall(), input: { instance: instance.id } }),
    breakNames: () => void (isBroken = true),
    file: () => readFileSync(path, 'utf8'),
    instance: instance.id,
    addSecond: async () => {
      const { id: clusterId } = await addCluster(store, { state: 'active' }, [node])
      await addRole(store, { node_id: node.id, role: 'router' })
      await store.db.updateTable('routes').set({ node_id: null, cluster_id: clusterId }).execute()
      mkdirSync(join(home, 'second'))
      const second = await addInstance(store, {
        project_id: project.id,
        node_id: node.id,
        name: 'second',
        environment: 'production',
        production_user: user,
        production_home: join(home, 'second'),
        checkout_path: join(home, 'second/releases/r1'),
        profile: { application_directory: '', framework: null, php: false },
        selected_release: 'r1',
      })
      return second.id
    },
    exchange: async (next, previous) => {
      const { id, project_id, cluster_id } = await store.db
        .selectFrom('routes')
        .selectAll()
        .executeTakeFirstOrThrow()
      const spare = await insertRoute(store.db, {
        kind: 'app',
        project_id,
        cluster_id,
        domain: 'spare.example',
        provenance: 'explicit',
        publication: 'private',
        status: 'pending',
        created_at: '2026-03-01T00:00:00.000Z',
      })
      const dispositions = [{ instance_id: previous, route_id: spare?.id ?? 0 }]
      const input = { route: id, targets: [next], dispositions }
      return domains.routes.handlers['route:target:set']({ call: fakeCall(), input })
    },
    store: async (id, values) => {
      for (const [key, given] of Object.entries(values))
        await handlers['env:update']({ call: fakeCall(), input: { instance: id, key, value: given } })
    },
    fileOf: (name) => readFileSync(join(home, name, '.env'), 'utf8'),
    append: (line) => writeFileSync(path, `${readFileSync(path, 'utf8')}${line}\n`),
    loseRole: async () => void (await store.db.deleteFrom('node_roles').execute()),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

test('another domain of a Route writes the file of its production Instance, and loses what only the file has [ENV-050, ENV-063]', async () => {
  await using world = await startWorld()
  await world.sync()
  assert.equal(world.file(), 'APP_URL="https://shop.example"\n')
  world.append('HAND=1')
  await assert.rejects(world.sync(), { code: 'env.sync_would_drop_keys' })
  await world.update({ domain: 'next.example' })
  assert.equal(world.file(), 'APP_URL="https://next.example"\n')
})

test('a change of the domain that fails before the cutover gives the file the old domain back, from the stored values [ENV-064]', async () => {
  await using world = await startWorld()
  await world.sync()
  world.append('HAND=1')
  world.breakNames()
  await assert.rejects(world.update({ domain: 'next.example' }), { code: 'node.unreachable' })
  assert.equal(world.file(), 'APP_URL="https://shop.example"\n')
})

test('a file that cannot be written stops the change before the cutover, and says why', async () => {
  await using world = await startWorld()
  await world.sync()
  await world.loseRole()
  await assert.rejects(world.update({ domain: 'next.example' }), {
    code: 'route.application_url_failed',
    message:
      /^The `\.env` of the Instance .+ on .+ could not be written for next\.example\. The Node needs exactly one active application role/,
  })
  assert.equal(world.file(), 'APP_URL="https://shop.example"\n')
})

test('a change of a pool writes the address of its Instances and leaves session, cookie and key of each as they are [RTE-111, RTE-133]', async () => {
  await using world = await startWorld()
  const second = await world.addSecond()
  const own = (name: string) => ({
    APP_KEY: `base64:${name}`,
    SESSION_COOKIE: `${name}_session`,
    SESSION_DOMAIN: `.${name}.example`,
    SESSION_DRIVER: 'redis',
  })
  await world.store(world.instance, own('first'))
  await world.store(second, { ...own('second'), APP_URL: 'https://{{instance.domain}}' })
  await world.sync()
  const fileWith = (name: string, domain: string): string =>
    `APP_KEY="base64:${name}"\nAPP_URL="https://${domain}"\nSESSION_COOKIE="${name}_session"\nSESSION_DOMAIN=".${name}.example"\nSESSION_DRIVER="redis"\n`
  assert.equal(world.file(), fileWith('first', 'shop.example'))
  await world.exchange(second, world.instance)
  assert.deepEqual(
    [world.file(), world.fileOf('second')],
    [fileWith('first', 'spare.example'), fileWith('second', 'shop.example')],
  )
})
