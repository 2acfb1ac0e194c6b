import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '@fleet/testing/free-port'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { askPath, type HostileSource, hostileSource, SERVED_TYPES, type ServedType } from '@fleet/testing'
import { type Pool, poolOf } from '#/php/pool.ts'
import { poolsText, RUNTIME_TEXT } from '#/php/service/text.ts'
import { caddyVersionOf, featuresOf, renderCaddyfile, type Site } from '#/web-server/api.ts'

const [FPM] = globSync('/usr/sbin/php-fpm*')
const CADDY = spawnSync('caddy', ['version'], { encoding: 'utf8' }).stdout ?? ''

/** Why these tests cannot run here; false when they can. */
export const MISSING: string | false =
  FPM === undefined || CADDY === '' ? 'php-fpm or caddy is not installed' : false

export interface Served extends AsyncDisposable {
  /** What a visitor of the type's domain gets for a path: as `paths.tsv` says it. */
  ask(type: ServedType, path: string): Promise<string>
}

/** Sources of every type behind the real web server and the real process manager, rendered as for a Node. */
export async function serve(): Promise<Served> {
  await using started = new AsyncDisposableStack()
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet served-')))
  started.defer(() => rmSync(home, { recursive: true, force: true }))
  chmodSync(home, 0o755)
  const sources = SERVED_TYPES.map((type, at) => ({ type, place: join(home, type), id: at + 1 }))
  for (const { type, place } of sources) write(place, hostileSource(type))
  const pools = sources.flatMap(({ type, place, id }) => poolFor(type, place, id) ?? [])
  started.use(await startPools(home, pools))
  const [port, plainPort] = [await freePort(), await freePort()]
  const certificate = await makeCertificate(home)
  const sites = sources.map(({ type, place, id }) => siteFor(home, type, place, { id, port }))
  started.use(await startCaddy(home, sites, { port, plainPort }))
  const owned = started.move()
  return {
    ask: (type, path) => askPath({ address: '127.0.0.1', port, host: domainOf(type), path, certificate }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const domainOf = (type: ServedType): string => `${type}.test`

function write(place: string, { files, links }: HostileSource): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), text)
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(place, path))
}

function poolFor(type: ServedType, checkoutPath: string, id: number): Pool | undefined {
  const { applicationDirectory } = hostileSource(type)
  if (applicationDirectory === undefined) return undefined
  return poolOf({
    instance: { id, name: type },
    version: '8.2',
    checkoutPath,
    defaultDirectory: applicationDirectory,
  })
}

const socketIn = (home: string, { name }: Pool): string => join(home, 'sockets', `${name}.sock`)

async function startPools(home: string, pools: readonly Pool[]): Promise<AsyncDisposable> {
  mkdirSync(join(home, 'sockets'))
  // A folder of settings of its own, with the module that Nodes have.
  mkdirSync(join(home, 'conf.d'))
  writeFileSync(join(home, 'conf.d/99-fleet-runtime.ini'), RUNTIME_TEXT)
  const settings = { user: 'nobody', group: 'nogroup', sockets: join(home, 'sockets') }
  const global = `error_log = ${join(home, 'fpm.log')}\npid = ${join(home, 'fpm.pid')}\n`
  writeFileSync(
    join(home, 'fpm.conf'),
    poolsText(pools, settings).replace('[global]\n', `[global]\n${global}`),
  )
  const child = spawn(FPM ?? '', ['--nodaemonize', '--fpm-config', join(home, 'fpm.conf')], {
    stdio: 'ignore',
    env: { ...process.env, PHP_INI_SCAN_DIR: `:${join(home, 'conf.d')}` },
  })
  await until(() => pools.every((pool) => existsSync(socketIn(home, pool))))
  return ending(child)
}

function siteFor(
  home: string,
  type: ServedType,
  place: string,
  { id, port }: { readonly id: number; readonly port: number },
): Site {
  const { webRoot } = hostileSource(type)
  const pool = poolFor(type, place, id)
  return {
    source: 'app-dev',
    scope: `app-instance-${id}`,
    domain: domainOf(type),
    listener: { kind: 'tcp', addresses: ['127.0.0.1'], port },
    tls: { kind: 'leaf', file: join(home, 'leaf.pem') },
    handler: {
      kind: 'files',
      root: join(place, webRoot),
      ...(pool ? { php: socketIn(home, pool) } : {}),
      cachesBuilds: false,
    },
  }
}

async function makeCertificate(home: string): Promise<string> {
  const root = await ensureRoot({ directory: join(home, 'ca'), clock: systemClock, name: 'Test root' })
  const leaf = await issueLeaf(root, {
    clock: systemClock,
    names: SERVED_TYPES.map(domainOf),
    addresses: [],
  })
  writeFileSync(join(home, 'leaf.pem'), `${leaf.key.reveal()}${leaf.certificate}`)
  return root.certificate
}

/** The file as a Node gets it; only the port of its console and of plain requests differ. */
async function startCaddy(
  home: string,
  sites: readonly Site[],
  { port, plainPort }: { readonly port: number; readonly plainPort: number },
): Promise<AsyncDisposable> {
  const version = caddyVersionOf(CADDY)
  if (!version) throw new Error('not a version of Caddy')
  const file = join(home, 'Caddyfile')
  writeFileSync(file, renderCaddyfile(sites, { features: featuresOf(version), root: join(home, 'ca') }))
  const adapted = spawnSync('caddy', ['adapt', '--adapter', 'caddyfile', '--config', file], {
    encoding: 'utf8',
  })
  if (adapted.status !== 0) throw new Error(adapted.stderr)
  const config = JSON.parse(adapted.stdout) as { apps: { http: Record<string, unknown> } } // Of Caddy's own adapter.
  config.apps.http['http_port'] = plainPort
  writeFileSync(join(home, 'caddy.json'), JSON.stringify({ ...config, admin: { disabled: true } }))
  const child = spawn('caddy', ['run', '--config', join(home, 'caddy.json')], {
    stdio: 'ignore',
    env: { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
  })
  await until(() => answers(port))
  return ending(child)
}

const ending = (child: ChildProcess): AsyncDisposable => ({
  [Symbol.asyncDispose]: async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    // Not SIGKILL: the process manager takes its workers with it.
    if (child.exitCode === null && child.kill('SIGTERM')) await ended
  },
})

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(20_000)
  while (!(await isSo())) {
    if (deadline.aborted) throw new Error('it did not start')
    await setTimeout(50)
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
