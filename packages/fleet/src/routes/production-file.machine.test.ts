import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fail, type InputOf } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import {
  addInstance,
  addNode,
  addProject,
  addRoute,
  fakeCall,
  localPool,
  openTestStore,
  testDomains,
} from '@fleet/testing'

interface World extends AsyncDisposable {
  update(given: Omit<InputOf<'route:update'>, 'route'>): Promise<unknown>
  sync(): Promise<unknown>
  /** The next publication of names fails. */
  breakNames(): void
  file(): string
  append(line: string): void
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
        ...nothing,
        trust: { install: async () => 'installed', remove: async () => undefined },
        publishLeaf: async () => 'published',
        isLeafDue: async () => false,
        withdrawLeaf: async () => undefined,
        judgeFile: () => undefined,
        inspectServed: async () => undefined,
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
