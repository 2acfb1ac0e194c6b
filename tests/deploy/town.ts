import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { ProductionPhp } from '@fleet/fleet'
import { fakeCall, localPool, testDomains } from '@fleet/testing'
import { type GitServer, startGitServer } from '@fleet/testing/git-server'
import { startManager, USER } from '../../packages/fleet/src/php/production/manager-world.test.ts'
import { openShop, type Shop } from '../../packages/fleet/src/routes/pools/world.test.ts'
import {
  type Machines,
  serveAgain,
  startMachines,
} from '../../packages/fleet/src/routes/traffic/machines.test.ts'
import {
  startVisitors,
  type VisitorOptions,
  type Visitors,
  visitOnce,
} from '../../packages/fleet/src/routes/traffic/visitors.test.ts'
import { create, setTargets } from '../../packages/fleet/src/routes/world.test.ts'
import { filesOf, PATHS, reload, SERVER } from './pages.ts'

/** The domain of the pool, and the one that leads to the Node server. */
export const POOL = 'a.example'
export const SERVED_BY_NODE = 'server.internal'

/** How often the opcache of each home was reset, and which release answered. */
export type States = ReadonlyMap<string, { readonly release: string; readonly resets: number }>

/** Three production Nodes with real Caddys and process managers in one pool behind a Router, and visitors. */
export interface DeployTown extends AsyncDisposable {
  readonly visitors: Visitors
  /** Publishes the version and deploys it on every Node at once. Answers the failure of each. */
  deploy(version: string): Promise<readonly (string | undefined)[]>
  /** Selects the release before the last on every Node at once. */
  rollback(): Promise<readonly (string | undefined)[]>
  /** The steps of every Instance from now on, besides those of the town. */
  step(command: string | undefined): Promise<void>
  states(): Promise<States>
}

interface Site {
  readonly id: number
  readonly name: string
  readonly home: string
  readonly reset: () => Promise<string>
}

export async function openDeployTown(options: Pick<VisitorOptions, 'fullRounds'> = {}): Promise<DeployTown> {
  await using stack = new AsyncDisposableStack()
  const shop = await openShop()
  const { world } = shop
  stack.use(world)
  const git = stack.use(await startGitServer(['shop']))
  const machines = stack.use(await startMachines(world, [...shop.nodes, shop.router]))
  const folder = stack.adopt(realpathSync(mkdtempSync(join(tmpdir(), 'fleet-homes-'))), (path) =>
    rmSync(path, { recursive: true, force: true }),
  )
  chmodSync(folder, 0o755)
  const sites: Site[] = []
  for (const at of shop.nodes.keys()) sites.push(await openSite({ shop, machines, git, folder, stack, at }))
  const [first] = sites
  assert.ok(first)
  const deployments = domainOf(shop, git, sites)
  const run = async (work: (site: Site) => ReturnType<(typeof deployments)['instance:deploy']>) =>
    Promise.all(sites.map(async (site) => (await work(site)).failure?.code))
  const deploy = (version: string) => {
    git.commit('shop', 'main', filesOf(version))
    return run(({ id }) => deployments['instance:deploy']({ call: silent(), input: { instance: id } }))
  }
  assert.deepEqual(await deploy('v0'), [undefined, undefined, undefined])
  const server = stack.use(await startServer(first.home))
  await setSteps(shop, first, [reload(server.pid, first.home)])
  await serveAgain(world, [...shop.nodes, shop.router])
  await setTargets(world, shop.routes[0], [...shop.instances])
  const upstream = `http://127.0.0.1:${server.port}`
  await create(world, { domain: SERVED_BY_NODE, node_id: shop.router.id, upstream })
  const visitors = startVisitors(machines, [POOL, SERVED_BY_NODE], { ...options, paths: PATHS })
  stack.defer(async () => void (await visitors.stop()))
  Object.assign(world.deps.clock, { sleep: () => visitors.settle() })
  const owned = stack.move()
  return {
    visitors,
    deploy,
    rollback: () =>
      run(async ({ id }) =>
        deployments['instance:rollback']({
          call: silent(),
          input: { instance: id, release: await releaseBefore(shop, id) },
        }),
      ),
    step: async (command) => {
      for (const site of sites) {
        const own = site === first ? [reload(server.pid, first.home)] : []
        await setSteps(shop, site, own, command)
      }
    },
    states: () => statesOf(machines, sites),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const silent = () => fakeCall({ emit: async () => undefined })

interface Opening {
  readonly shop: Shop
  readonly machines: Machines
  readonly git: GitServer
  readonly folder: string
  readonly stack: AsyncDisposableStack
  readonly at: number
}

/** A home whose owner is whoever runs the test, served by the Caddy and the process manager of its Node. */
async function openSite({ shop, machines, folder, stack, git, at }: Opening): Promise<Site> {
  const [id, node] = [shop.instances[at], shop.nodes[at]]
  assert.ok(id !== undefined && node)
  const { db } = shop.world.store
  const name = `web-${at}`
  const home = join(folder, name)
  mkdirSync(home)
  const user = userInfo().username
  await db.updateTable('nodes').set({ user }).where('id', '=', node.id).execute()
  await db.deleteFrom('node_roles').where('node_id', '=', node.id).where('role', '!=', 'app-prod').execute()
  const place = { production_user: user, production_home: home, checkout_path: join(home, 'current') }
  await db
    .updateTable('instances')
    .set({ ...place, selected_release: null, deployment_branch: 'main' })
    .where('id', '=', id)
    .execute()
  const project = { repository_url: git.urlOf('shop') }
  await db.updateTable('projects').set(project).where('id', '=', shop.projectId).execute()
  const manager = stack.use(await startManager())
  const sockets = machines.host(node).at('run/php')
  mkdirSync(sockets, { recursive: true })
  symlinkSync(manager.socket, join(sockets, `${user}.sock`))
  assert.ok(manager.socket.endsWith(`${USER}.sock`))
  return { id, name, home, reset: manager.reset }
}

/** The domain of deployments with real scripts, Git and process managers. */
function domainOf(shop: Shop, git: GitServer, sites: readonly Site[]) {
  const environment = { GIT_SSL_CAINFO: git.caFile, GIT_CONFIG_NOSYSTEM: '1' }
  const productionPhp: ProductionPhp = {
    hasService: async () => true,
    requireRunnable: async () => undefined,
    health: async () => undefined,
    refresh: async (_session, { id }) => {
      const outcome = await sites.find((site) => site.id === id)?.reset()
      assert.equal(outcome, 'reset')
    },
  }
  const given = { store: shop.world.store, ssh: localPool({ home: tmpdir(), env: environment }) }
  const { sourceAccess } = testDomains(given)
  const fakes = { productionPhp, sourceAccess: { ...sourceAccess, open: async () => ({ warnings: [] }) } }
  return testDomains(given, fakes).deployments.handlers
}

/** The steps of an Instance: one in the new release, and those after the switch. */
async function setSteps(
  { world }: Shop,
  { id }: Site,
  after: readonly string[],
  before = 'cat one.php two.php >built',
): Promise<void> {
  const deploy_steps = [
    { name: 'build', phase: 'before_activation' as const, command: before, timeout_seconds: 60 },
    ...after.map((command) => ({
      name: 'reload',
      phase: 'after_activation' as const,
      command,
      timeout_seconds: 60,
    })),
  ]
  await world.store.db.updateTable('instances').set({ deploy_steps }).where('id', '=', id).execute()
}

async function releaseBefore({ world }: Shop, id: number): Promise<string> {
  const { selected_release } = await world.store.db
    .selectFrom('instances')
    .select('selected_release')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const rows = await world.store.db
    .selectFrom('deployments')
    .select('release')
    .where('instance_id', '=', id)
    .where('status', '=', 'succeeded')
    .where('release', '!=', selected_release)
    .orderBy('id', 'desc')
    .execute()
  return rows[0]?.release ?? assert.fail('nothing was deployed before')
}

/** Asks the pool until each of its Nodes has answered. */
async function statesOf(machines: Machines, sites: readonly Site[]): Promise<States> {
  const states = new Map<string, { release: string; resets: number }>()
  const address = machines.addressOf(POOL) ?? assert.fail('the pool has no address')
  for (let tries = 0; tries < 60 && states.size < sites.length; tries += 1) {
    const { status, text } = await visitOnce({ web: machines, domain: POOL, address }, '/state.php')
    assert.equal(status, 200, text)
    const { home, ...state } = JSON.parse(text)
    states.set(home, state)
  }
  assert.equal(states.size, sites.length)
  return states
}

interface Server extends AsyncDisposable {
  readonly pid: number | undefined
  readonly port: number
}

async function startServer(home: string): Promise<Server> {
  const file = join(home, 'server.mjs')
  writeFileSync(file, SERVER)
  const child: ChildProcess = spawn(process.execPath, [file, home], { stdio: ['ignore', 'pipe', 'inherit'] })
  assert.ok(child.stdout)
  const [line] = (await once(child.stdout, 'data')) as [Buffer] // What the event has.
  return {
    pid: child.pid,
    port: Number(String(line)),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}
