// Memory of a Node agent that has joined and tells 20 units, beside a bare process with one request over TLS and one
// WebSocket. Both are bundled as in a release and run by the same runtime, whose pages are most of both.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'
import { build } from 'esbuild'
import { CHANNEL, eventually, only, startWorld } from '../tests/agent/world.ts'
import { APP } from '../tests/pusher/harness.ts'
import { type Measure, measure } from './measure.ts'

const UNITS = 20
const REST_MILLISECONDS = 10_000

export async function* run(): AsyncGenerator<Measure> {
  await using world = await startWorld()
  for (let unit = 1; unit <= UNITS; unit += 1)
    world.systemd.set(`orbit-process-${unit}-web.service`, 'active')
  const home = join(world.folder, 'etc')
  mkdirSync(home)
  writeFileSync(join(home, 'secret'), 'a'.repeat(64))
  writeFileSync(join(home, 'ca.pem'), world.gateway.root().certificate)
  const config = `gateway_url = "${world.gateway.url}"\ngateway_address = "127.0.0.1"\n`
  writeFileSync(join(home, 'config.toml'), config)
  const view = await world.member(CHANNEL)
  const [agent, bare] = [await bundled('agent', world.folder), await bundled('bare-client', world.folder)]
  using ours = started(
    agent,
    world.systemd.socket,
    world.docker.socket,
    '--home',
    home,
    '--runtime',
    join(home, 'run'),
  )
  const server = `${world.pusher.server.url}/app/${APP.key}?protocol=7`
  using theirs = started(bare, world.gateway.url, join(home, 'ca.pem'), server)
  await eventually(() => only(view, 'client-workspaces').length === 1)
  await systemClock.sleep(REST_MILLISECONDS)
  const [own, baseline] = [memoryOf(ours.child), memoryOf(theirs.child)]
  yield measure(
    'agent-rest-resident',
    'MB',
    own.resident,
    'one TLS request and one WebSocket in node',
    baseline.resident,
  )
  yield measure(
    'agent-rest-own',
    'MB',
    own.anonymous,
    'the same, without the pages of the runtime',
    baseline.anonymous,
  )
}

async function bundled(name: string, folder: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`)
  const banner = {
    js: `import { createRequire as r } from 'node:module'; const require = r(import.meta.url)`,
  }
  const entry = new URL(`servers/${name}.ts`, import.meta.url).pathname
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    banner,
    logLevel: 'error',
  })
  return outfile
}

function started(...words: readonly string[]): Disposable & { readonly child: ChildProcess } {
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  return { child, [Symbol.dispose]: () => void child.kill() }
}

function memoryOf({ pid }: ChildProcess): { readonly resident: number; readonly anonymous: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1000
  return { resident: megabytes('VmRSS'), anonymous: megabytes('RssAnon') }
}
