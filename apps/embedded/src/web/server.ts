import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'
import { replaceFile } from '@fleet/pki'

/** The web server of one embedded Node, a child of this process. */
export interface NodeWebServer extends AsyncDisposable {
  /** Serves the file from now on. Rejects with what Caddy said, and serves what it served. */
  load(text: string): Promise<'applied' | 'unchanged'>
  /** Loads what it serves once more. */
  reload(): Promise<void>
}

const LIVE = 'Caddyfile'
const CANDIDATE = 'Caddyfile.new'
const READY_MILLISECONDS = 10_000
const TRY_MILLISECONDS = 50
const STOP_MILLISECONDS = 3000

/** The child ends with its standard input, so it never outlives this process, however that ends. */
const UNTIL_INPUT_ENDS =
  'caddy run --adapter caddyfile --config "$1" & child=$!; cat >/dev/null; kill "$child"; wait "$child"'

/** A port that is taken until there is something to serve. */
export interface HeldPort {
  letGo(): Promise<void>
}

export interface NodeWebServerOptions {
  readonly folder: string
  readonly programs: Readonly<Record<string, string>>
  readonly held: HeldPort | undefined
}

/** In its folder it finds the file that it served at the end of the last run, and serves it again. */
export async function startNodeWebServer({
  folder,
  programs,
  held,
}: NodeWebServerOptions): Promise<NodeWebServer> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const environment = { ...programs, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }
  const [live, candidate] = [join(folder, LIVE), join(folder, CANDIDATE)]
  let child: ChildProcess | undefined
  const caddy = (...words: readonly string[]): Promise<string | undefined> => said(words, folder, environment)
  const start = async (): Promise<void> => {
    rmSync(join(folder, 'control.sock'), { force: true })
    await held?.letGo()
    child = spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', LIVE], {
      cwd: folder,
      env: environment,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    for (let waited = 0; waited < READY_MILLISECONDS; waited += TRY_MILLISECONDS) {
      if (existsSync(join(folder, 'control.sock'))) return
      if (child.exitCode !== null) break
      await systemClock.sleep(TRY_MILLISECONDS)
    }
    throw new Error('Caddy did not start.')
  }
  const reload = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null) return start()
    const problem = await caddy(
      'reload',
      '--adapter',
      'caddyfile',
      '--config',
      LIVE,
      '--address',
      CONTROL,
      '--force',
    )
    if (problem !== undefined) throw new Error(problem)
  }
  const load = async (text: string): Promise<'applied' | 'unchanged'> => {
    const before = existsSync(live) ? readFileSync(live, 'utf8') : undefined
    if (before === text && child?.exitCode === null) return 'unchanged'
    replaceFile(candidate, text, 0o600)
    const problem = await caddy('validate', '--adapter', 'caddyfile', '--config', CANDIDATE)
    if (problem !== undefined) throw new Error(problem)
    renameSync(candidate, live)
    try {
      await reload()
    } catch (error) {
      if (before !== undefined) replaceFile(live, before, 0o600)
      throw error
    }
    return 'applied'
  }
  if (existsSync(live)) await start()
  return {
    load,
    reload,
    async [Symbol.asyncDispose]() {
      await held?.letGo()
      if (child?.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.stdin?.end()
      await Promise.race([ended, systemClock.sleep(STOP_MILLISECONDS)])
    },
  }
}

const CONTROL = 'unix/control.sock'

/** Its error when it failed. */
async function said(
  words: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const child = spawn('caddy', [...words], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  const [status] = (await once(child, 'close')) as [number | null] // What the event has.
  return status === 0 ? undefined : (/^Error: .*/ms.exec(text)?.[0] ?? text).trim()
}
