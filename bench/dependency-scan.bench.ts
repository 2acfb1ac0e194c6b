// A real lock with more than 1,000 packages scanned over SSH, beside reading its bytes and beside cdxgen, whose dependency
// graph comes from the same file; reading real locks beside parsing them; and what an inventory takes in the database.
import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock, systemIds } from '@fleet/kernel'
import { readDependencies } from '@fleet/lockfiles'
import { parseYaml } from '@fleet/lockfiles/yaml'
import { createSshPool } from '@fleet/ssh'
import { openStore, type Store } from '@fleet/store'
import { addInstance, addNode, addProject, fakeCall, TEST_APP_KEY, testDomains } from '@fleet/testing'
import { type Measure, measure, median, type Report, sideBySide, times } from './measure.ts'
import { connectRaw } from './raw-ssh.ts'
import { filesOf, LARGE, LARGEST, lockOf, realManagers, realProject } from './real-locks.ts'
import { execute, type SshServer, startSshServer } from './ssh-server.ts'

const RUNS = 40
/** The first readings of a process are slower, until the reader is compiled; so is the first of everything else. */
const READINGS = 200
const CDXGEN = '@cyclonedx/cdxgen@11.11.0'
const CDXGEN_RUNS = 3
/** Instances of one project, which share the rows of its packages. */
const COPIES = 20

export async function* run(): AsyncGenerator<Report> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-bench-')))
  try {
    yield* parsing(home)
    yield* scanning(home)
  } catch (error) {
    // A manager that did not reach the registry.
    if (!(error instanceof Error) || !('stderr' in error)) throw error
    yield { bench: 'dependency-scan', skipped: 'the npm registry could not be reached' }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function* parsing(home: string): AsyncGenerator<Measure> {
  for (const manager of realManagers) {
    const files = filesOf(await realProject(home, manager, LARGEST))
    const file = lockOf(manager)
    const text = files[file] ?? ''
    const { ours, theirs } = await sideBySide(
      READINGS,
      async () => {
        const { javascript } = readDependencies(files)
        if (javascript.status !== 'read' || javascript.graph.resolutions.length < 4000)
          throw new Error(JSON.stringify(javascript).slice(0, 200))
      },
      async () => {
        if (manager === 'pnpm') parseYaml(text, { file, invalid: 'dependencies.invalid_pnpm_input' })
        // The lock of Bun is JSON without its trailing commas.
        else JSON.parse(manager === 'bun' ? text.replaceAll(/,(?=\s*[}\]])/g, '') : text)
      },
    )
    const kibibytes = Math.round(text.length / 1024)
    yield measure(
      `lock-real-${manager}`,
      'ms',
      median(ours),
      `parsing its ${kibibytes} KiB alone`,
      median(theirs),
    )
  }
}

async function* scanning(home: string): AsyncGenerator<Measure> {
  const file = join(home, 'gateway.sqlite')
  const base = { clock: systemClock, ids: systemIds, key: TEST_APP_KEY, gatewayId: 'bench' }
  await using store = await openStore({ ...base, file })
  await using server = await startSshServer()
  await using ssh = createSshPool({ privateKey: server.key.privateKey, clock: systemClock })
  using raw = await connectRaw(server.target, server.key)
  const source = await realProject(home, 'npm', LARGE)
  const [small = 0, first = 0, ...others] = await addInstances(store, server, home, source)
  const handler = testDomains({ store, ssh, clock: systemClock }).dependencies.handlers[
    'instance:dependencies:scan'
  ]
  const scan = async (instance: number): Promise<void> => {
    const { data } = await handler({ call: fakeCall(), input: { instance } })
    if (data.succeeded !== true) throw new Error(JSON.stringify(data).slice(0, 300))
  }
  // What a gateway has done long before: the code is loaded, the connection and the thread are there.
  await times(10, () => scan(small))
  const before = process.memoryUsage.rss()
  const opened = opening()
  const peaks = await peakWhile(() => times(10, () => scan(first), 0))
  if (opened.length > 0) throw new Error(`a scan started or opened ${opened.join(', ')}`)
  const bytes = Buffer.byteLength(readFileSync(join(source, 'package-lock.json')))
  const { ours, theirs } = await sideBySide(
    RUNS,
    () => scan(first),
    () => raw.run(`cat ${source}/package.json ${source}/package-lock.json`),
  )
  const what = `reading the ${Math.round(bytes / 1024)} KiB over raw ssh2`
  yield measure('dependency-scan', 'ms', median(ours), what, median(theirs))
  const rows = sizeOf(file)
  for (const instance of others) await scan(instance)
  const stored = (sizeOf(file) - rows) / others.length / 1024
  yield measure('dependency-scan-stored', 'KiB per Instance', stored, 'its lock file', bytes / 1024)
  const { milliseconds, megabytes } = await cdxgen(home, source)
  yield measure('dependency-scan-cdxgen', 'ms', median(ours), 'cdxgen of the same folder', milliseconds)
  yield measure(
    'dependency-scan-memory',
    'MB more',
    (peaks - before) / 1e6,
    'cdxgen of the same folder',
    megabytes,
  )
}

/** One Instance with an empty project, and as many with the real one, each in a folder of its own. */
async function addInstances(
  store: Store,
  { target }: SshServer,
  home: string,
  source: string,
): Promise<readonly number[]> {
  const node = await addNode(store, {
    roles: ['app-dev'],
    user: target.user,
    user_home: home,
    wireguard_ip: target.host,
    ssh_port: target.port,
    ssh_host_fingerprint: target.fingerprint,
  })
  const project = await addProject(store)
  const add = async (name: string, from: string | undefined): Promise<number> => {
    const path = join(home, 'apps', name)
    mkdirSync(path, { recursive: true })
    if (from !== undefined) cpSync(from, path, { recursive: true })
    return (await addInstance(store, { project_id: project.id, node_id: node.id, name, checkout_path: path }))
      .id
  }
  const ids = [await add('empty', undefined)]
  for (let copy = 0; copy < COPIES; copy += 1) ids.push(await add(`copy-${copy}`, source))
  return ids
}

/** Kinds of what this process starts or opens from now on: another process, a connection. */
function opening(): readonly string[] {
  const seen: string[] = []
  subscribe('child_process', () => seen.push('a process'))
  subscribe('net.client.socket', () => seen.push('a connection'))
  return seen
}

/** Bytes that the process had at most meanwhile. */
async function peakWhile(work: () => Promise<unknown>): Promise<number> {
  let peak = 0
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 2)
  await work()
  clearInterval(timer)
  return Math.max(peak, process.memoryUsage.rss())
}

/** Bytes of the database, with everything in its own file. */
function sizeOf(file: string): number {
  using db = new DatabaseSync(file)
  db.exec('pragma wal_checkpoint(truncate)')
  return statSync(file).size
}

async function cdxgen(home: string, source: string): Promise<{ milliseconds: number; megabytes: number }> {
  const place = join(home, 'cdxgen')
  await execute('npm', [
    'install',
    '--prefix',
    place,
    '--ignore-scripts',
    '--omit=optional',
    '--no-audit',
    '--no-fund',
    CDXGEN,
  ])
  const program = join(place, 'node_modules/.bin/cdxgen')
  let megabytes = 0
  const taken = await times(
    CDXGEN_RUNS,
    async () => {
      const words = [
        '-t',
        'js',
        '--no-install-deps',
        '--no-recurse',
        '--no-babel',
        '-o',
        join(home, 'bom.json'),
        source,
      ]
      const child = spawn(process.execPath, [program, ...words], { stdio: 'ignore' })
      megabytes = Math.max(megabytes, await residentOf(child))
    },
    1,
  )
  return { milliseconds: median(taken), megabytes }
}

/** Megabytes that a process had at most before it ended. */
function residentOf(child: ChildProcess): Promise<number> {
  let most = 0
  const timer = setInterval(() => {
    try {
      const [, kibibytes = '0'] =
        /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
      most = Math.max(most, Number(kibibytes))
    } catch {
      // It has just ended.
    }
  }, 5)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearInterval(timer)
      if (code === 0) resolve((most * 1024) / 1e6)
      else reject(new Error(`cdxgen ended with ${code}`))
    })
  })
}
