import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '@fleet/testing/free-port'
import { type Ask, ask, type Response } from './ask.ts'

const MAIN = resolve(import.meta.dirname, '../../apps/embedded/src/main.ts')
const START_MILLISECONDS = 60_000

/** `embedded.json` as a client reads it. */
export interface Announced {
  readonly base_url: string
  readonly ca_file: string
  readonly websocket: { readonly url: string; readonly key: string }
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly name: string; readonly address: string }>
  readonly pid: number
}

export interface StartOptions {
  /** An existing home to start on again; otherwise one is made and removed at the end. */
  readonly home?: string
  readonly port?: number
  readonly sample?: boolean
  /** Added to the environment of the process; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** One run of the real program in a process of its own. */
export interface EmbeddedFleet extends AsyncDisposable {
  readonly home: string
  readonly port: number
  readonly announced: Announced
  /** All that it has printed on standard output. */
  output(): string
  /** Stops reading what it prints, as a closed terminal does. */
  closeOutput(): void
  ask(method: string, path: string, options?: Ask): Promise<Response>
  nodeId(name: string): number
  /** Sends the signal and answers the exit status, or the signal that ended it. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | string | null>
}

/** What a start that came to nothing said. */
export class NotReady extends Error {
  override readonly name = 'NotReady'
  readonly status: number | null
  readonly stderr: string
  constructor(status: number | null, stdout: string, stderr: string) {
    super(`the fleet ended with status ${status} before it was ready\n${stdout}\n${stderr}`)
    this.status = status
    this.stderr = stderr
  }
}

/** Starts the embedded fleet on free ports, beside any other that runs. Rejects with NotReady. */
export async function startEmbedded(options: StartOptions = {}): Promise<EmbeddedFleet> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'fleet-embedded-'))
  const port = options.port ?? (await freePort())
  const child = spawn(process.execPath, [MAIN], {
    env: environmentOf(options, home, port),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = collect(child)
  try {
    await ready(child, printed)
  } catch (error) {
    if (options.home === undefined) rmSync(home, { recursive: true, force: true })
    throw error
  }
  const announced = JSON.parse(readFileSync(join(home, 'embedded.json'), 'utf8')) as Announced // The first test checks its shape.
  const ca = readFileSync(announced.ca_file, 'utf8')
  const end: EmbeddedFleet['end'] = (signal) => endOf(child, signal)
  return {
    home,
    port,
    announced,
    output: () => printed.stdout,
    closeOutput: () => void child.stdout.destroy(),
    ask: (method, path, given = {}) => ask(announced.base_url, ca, method, path, given),
    nodeId: (name) => announced.nodes.find((node) => node.name === name)?.id ?? 0,
    end,
    [Symbol.asyncDispose]: async () => {
      await end('SIGKILL')
      if (options.home === undefined)
        rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

/** A home that several runs of a test use one after the other. */
export function temporaryHome(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'fleet-embedded-'))
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  }
}

function environmentOf({ sample = false, env }: StartOptions, home: string, port: number): NodeJS.ProcessEnv {
  // Nothing of the person's or the test runner's own environment but what programs need to be found.
  return {
    PATH: process.env['PATH'],
    HOME: home,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    FLEET_HOME: home,
    FLEET_EMBEDDED_PORT: String(port),
    FLEET_EMBEDDED_SAMPLE: sample ? '1' : '0',
    ...env,
  }
}

interface Printed {
  stdout: string
  stderr: string
}

function collect(child: ChildProcess): Printed {
  const printed: Printed = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString('utf8')))
  child.stderr?.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString('utf8')))
  return printed
}

async function ready(child: ChildProcess, printed: Printed): Promise<void> {
  const giveUp = AbortSignal.timeout(START_MILLISECONDS)
  const kill = (): void => void child.kill('SIGKILL')
  giveUp.addEventListener('abort', kill)
  const closed = once(child, 'close').then(() => {
    throw new NotReady(child.exitCode, printed.stdout, printed.stderr)
  })
  const isReady = new Promise<void>((done) => {
    child.stdout?.on('data', () => /^ready https:.*\n$/m.test(printed.stdout) && done())
  })
  await Promise.race([isReady, closed]).finally(() => giveUp.removeEventListener('abort', kill))
  closed.catch(() => undefined)
}

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<number | string | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close')
    child.kill(signal)
    await closed
  }
  return child.exitCode ?? child.signalCode
}
