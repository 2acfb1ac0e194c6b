// Deployment of a repository of 50 MB with two steps, beside what Deployer's recipe and Kamal's way do over one kept connection to
// the same machine; the switch and a rollback of it.
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { addInstance, fakeCall } from '@fleet/testing'
import { deployAsImage, deployByRecipe, type Recipe } from './life/deployer.ts'
import { type LifeFleet, startLifeFleet } from './life/fleet.ts'
import { type Master, startMaster } from './master.ts'
import { measure, median, type Report, time } from './measure.ts'
import { execute } from './ssh-server.ts'

const ROUNDS = Number(process.env['FLEET_BENCH_ROUNDS'] ?? 7)
const FILES = 2000
/** Of each file; the content does not get much smaller. */
const BYTES = 25_000
/** Files that a commit changes. */
const CHANGED = 20

const STEPS = [
  'find . -name "file-*" -not -path "./.git/*" -print0 | sort -z | xargs -0 sha256sum >built',
  'test -s built',
] as const

export async function* run(): AsyncGenerator<Report> {
  await using life = await startLifeFleet()
  const [node] = life.nodes
  if (node.server.openssh === undefined) {
    yield { bench: 'deploy', skipped: 'OpenSSH is not installed' }
    return
  }
  await using master = await startMaster(node.server, node.server.openssh)
  fill(life)
  const site = await production(life)
  const recipe = (name: string): Recipe => {
    const home = join(node.home, name)
    mkdirSync(home)
    return { home, repository: life.fleet.git.urlOf('app'), branch: 'main', steps: STEPS }
  }
  yield* deployments(life, site, { master, deployer: recipe('deployer'), kamal: recipe('kamal') })
  yield* rollbacks(site, master, node.home)
}

interface Site {
  deploy(): Promise<void>
  rollback(release: string): Promise<void>
  releases(): Promise<readonly string[]>
}

interface Others {
  readonly master: Master
  readonly deployer: Recipe
  readonly kamal: Recipe
}

async function* deployments(life: LifeFleet, site: Site, others: Others): AsyncGenerator<Report> {
  const { master, deployer, kamal } = others
  const local = (line: string): Promise<unknown> =>
    execute('sh', ['-euc', line], { env: gitEnvironment(life) })
  const taken: Record<'fleet' | 'deployer' | 'kamal', number[]> = { fleet: [], deployer: [], kamal: [] }
  const first: number[] = []
  const switches: number[] = []
  for (let round = 0; round <= ROUNDS; round += 1) {
    change(life, round)
    const before = life.sent.length
    const works = {
      fleet: () => site.deploy(),
      deployer: () => deployByRecipe(master, round, deployer),
      kamal: () => deployAsImage(master, round, kamal, local),
    }
    for (const name of rotated(['fleet', 'deployer', 'kamal'] as const, round)) {
      // What the one before wrote and did not flush would be flushed at the cost of this one.
      await local('sync; sleep 2')
      const milliseconds = await time(works[name])
      if (round > 0) taken[name].push(milliseconds)
      else if (name !== 'kamal') first.push(milliseconds)
    }
    for (const { title, milliseconds } of life.sent.slice(before)) {
      if (process.env['FLEET_BENCH_TRACE']) console.error(round, title, Math.round(milliseconds))
      if (title === 'select release' && round > 0) switches.push(milliseconds)
    }
  }
  const what = "Deployer's recipe by hand"
  yield measure('deploy-50mb', 'ms', median(taken.fleet), what, median(taken.deployer))
  yield measure('deploy-50mb-first', 'ms', first[0] ?? Number.NaN, what, first[1] ?? Number.NaN)
  yield measure('deploy-50mb-kamal', 'ms', median(taken.fleet), "Kamal's way by hand", median(taken.kamal))
  const rename = await timesOf(ROUNDS, (at) =>
    master.run(`cd ${deployer.home} && ln -nfs releases/${at + 1} next && sync -f . && mv -T next current`),
  )
  yield measure('deploy-switch', 'ms', median(switches), 'sync, ln and mv over ssh', median(rename))
}

async function* rollbacks(site: Site, master: Master, home: string): AsyncGenerator<Report> {
  const names = (await site.releases()).slice(-2)
  const ours = await timesOf(ROUNDS, (at) => site.rollback(names[at % 2] ?? ''))
  // Which release there is, which one is current, and the rename: what Deployer's rollback asks for.
  const theirs = await timesOf(ROUNDS, async (at) => {
    await master.run(`cd ${home}/deployer && readlink current && ls -1 releases`)
    await master.run(
      `cd ${home}/deployer && ln -nfs releases/$(ls -1 releases | sort -n | tail -n ${(at % 2) + 1} | head -n 1) next`,
    )
    await master.run(`cd ${home}/deployer && mv -T next current`)
  })
  yield measure('deploy-rollback', 'ms', median(ours), "Deployer's rollback by hand", median(theirs))
}

/** A production Instance whose home is on the first Node. */
async function production({ fleet, nodes: [node], domains }: LifeFleet): Promise<Site> {
  const home = join(node.home, 'shop')
  mkdirSync(home)
  const roles = fleet.store.db.updateTable('node_roles').set({ role: 'app-prod' })
  await roles.where('node_id', '=', node.id).execute()
  const instance = await addInstance(fleet.store, {
    project_id: fleet.project.id,
    node_id: node.id,
    name: 'live',
    environment: 'production',
    production_user: node.server.target.user,
    production_home: home,
    checkout_path: join(home, 'current'),
    deploy_steps: STEPS.map((command, at) => ({
      name: `step-${at}`,
      phase: at === 0 ? ('before_activation' as const) : ('after_activation' as const),
      command,
      timeout_seconds: 300,
    })),
  })
  const { handlers } = domains.deployments
  const lines = (): ReturnType<typeof fakeCall> => fakeCall({ emit: async () => undefined })
  return {
    deploy: async () => {
      const { failure } = await handlers['instance:deploy']({
        call: lines(),
        input: { instance: instance.id },
      })
      if (failure) throw failure
    },
    rollback: async (release) => {
      const input = { instance: instance.id, release }
      const { failure } = await handlers['instance:rollback']({ call: lines(), input })
      if (failure) throw failure
    },
    releases: async () => {
      const rows = await fleet.store.db.selectFrom('deployments').select('release').orderBy('id').execute()
      return rows.map(({ release }) => release ?? '')
    },
  }
}

const gitEnvironment = ({ fleet }: LifeFleet) => ({ ...process.env, GIT_SSL_CAINFO: fleet.git.caFile })

/** Commits the files of the repository. */
function fill({ fleet }: LifeFleet): void {
  const content = () => randomBytes((BYTES * 3) / 4).toString('base64')
  fleet.git.commit(
    'app',
    'main',
    Object.fromEntries(Array.from({ length: FILES }, (_, at) => [nameOf(at), content()])),
  )
}

const nameOf = (at: number): string => `folder-${at % 40}/file-${at}`

function change({ fleet }: LifeFleet, round: number): void {
  const names = Array.from({ length: CHANGED }, (_, at) => nameOf((round * CHANGED + at) % FILES))
  fleet.git.commit('app', 'main', Object.fromEntries(names.map((name) => [name, `round ${round}\n`])))
}

const rotated = <T>(all: readonly T[], by: number): readonly T[] => [
  ...all.slice(by % all.length),
  ...all.slice(0, by % all.length),
]

async function timesOf(count: number, work: (at: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = []
  for (let at = 0; at < count; at += 1) taken.push(await time(() => work(at)))
  return taken
}
