import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Chunk, Limits } from './chunks.ts'
import { cpuOfChildren } from './cpu.ts'
import { frame } from './line.ts'
import { type Ended, type Outcome, outcomeOf } from './outcome.ts'

export interface RunOptions {
  readonly root: string
  readonly seed: number
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends the process when it aborts. */
  readonly signal: AbortSignal
  readonly limits?: Limits
  /** Ends the process at the first failure, where one is enough to know. */
  readonly endsAtFailure?: boolean
}

const LIMITS: Limits = { test: 60, silence: 90, leave: 30 }

const IDLE = frame({ kind: 'idle' })
/** How the line of a failure begins. */
const FAILURE = frame({ kind: 'fail', name: '', place: '', error: undefined }).split(',')[0] ?? ''

const REPORTER = join(import.meta.dirname, 'reporter.ts')
const LOADED = ['properties.ts', 'measure.ts', 'untracked.ts'].map((name) => join(import.meta.dirname, name))

/** Hundreds of processes run the same modules: compiled once, each begins sooner. Inherited by what the tests start. */
const COMPILED = join(tmpdir(), 'fleet-tests-compiled')

/** Runs the files of a chunk in one process, in the random order of the seed. */
export async function runChunk(chunk: Chunk, options: RunOptions): Promise<Outcome> {
  const { root, seed, env } = options
  const limits = options.limits ?? chunk.limits ?? LIMITS
  const child = spawn(process.execPath, [...flags(seed, limits), ...chunk.files], {
    cwd: root,
    env: {
      NODE_COMPILE_CACHE: COMPILED,
      ...env,
      FLEET_TEST_SEED: String(seed),
      FLEET_TEST_LEAVE_SECONDS: String(limits.leave),
      ...chunk.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what a test started and forgot ends with it.
    detached: true,
  })
  return outcomeOf({ chunk: chunk.name, ...(await watch(child, options, limits)) })
}

const flags = (seed: number, limits: Limits): readonly string[] => [
  '--test',
  '--test-isolation=none',
  '--test-randomize',
  `--test-random-seed=${seed}`,
  `--test-timeout=${limits.test * 1000}`,
  `--test-reporter=${REPORTER}`,
  ...LOADED.map((path) => `--import=${path}`),
]

function watch(
  child: ChildProcess,
  { signal, endsAtFailure = false }: RunOptions,
  limits: Limits,
): Promise<Omit<Ended, 'chunk'>> {
  let output = ''
  let killed: string | undefined
  let isLeftOpen = false
  let cpuSeconds = 0
  const end = (why: string): void => {
    killed ??= why
    endGroup(child)
  }
  const stopped = (): void => end('was stopped')
  const stayed = (): void => {
    isLeftOpen = killed === undefined
    end('did not end by itself: a test left something open')
  }
  const silent = (): NodeJS.Timeout =>
    setTimeout(end, limits.silence * 1000, `said nothing for ${limits.silence} seconds`)
  let timer = silent()
  const take = (text: string): void => {
    output += text
    clearTimeout(timer)
    if (endsAtFailure && output.includes(FAILURE)) return end('was ended at its first failure')
    const done = output.includes(IDLE, Math.max(0, output.length - text.length - IDLE.length))
    timer = done ? setTimeout(stayed, limits.leave * 1000) : silent()
  }
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', take)
  signal.addEventListener('abort', stopped, { once: true })
  // Whoever stopped the run before this one began means it too.
  if (signal.aborted) stopped()
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    // The pipes stay open as long as any process of the group lives.
    child.once('exit', () => {
      cpuSeconds = cpuOfChildren.sinceLast()
      endGroup(child)
    })
    child.once('close', (status) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stopped)
      resolve({ output, status: status ?? undefined, killed, isLeftOpen, cpuSeconds })
    })
  })
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is gone, which is what was wanted.
  }
}
