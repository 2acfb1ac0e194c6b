import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Chunk } from './chunks.ts'
import { frame } from './line.ts'
import { type Ended, type Outcome, outcomeOf } from './outcome.ts'

export interface RunOptions {
  readonly root: string
  readonly seed: number
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends the process when it aborts. */
  readonly signal: AbortSignal
}

const TEST_SECONDS = 120
/** Above the time of one test: a process that says nothing for longer hangs outside its tests. */
const SILENCE_SECONDS = 150
/** After the last test nothing should be open any more. */
const LEAVE_SECONDS = 10

const END = frame({ kind: 'end' })

const REPORTER = join(import.meta.dirname, 'reporter.ts')

/** Runs the files of a chunk in one process, in the random order of the seed. */
export async function runChunk(chunk: Chunk, options: RunOptions): Promise<Outcome> {
  const child = spawn(process.execPath, [...flags(options.seed), ...chunk.files], {
    cwd: options.root,
    env: { ...options.env, ...chunk.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what a test started and forgot ends with it.
    detached: true,
  })
  return outcomeOf(await watch(chunk.name, child, options.signal))
}

const flags = (seed: number): readonly string[] => [
  '--test',
  '--test-isolation=none',
  '--test-randomize',
  `--test-random-seed=${seed}`,
  `--test-timeout=${TEST_SECONDS * 1000}`,
  `--test-reporter=${REPORTER}`,
]

function watch(chunk: string, child: ChildProcess, signal: AbortSignal): Promise<Ended> {
  let output = ''
  let killed: string | undefined
  const end = (why: string): void => {
    killed ??= why
    endGroup(child)
  }
  const stopped = (): void => end('was stopped')
  let timer = setTimeout(end, SILENCE_SECONDS * 1000, 'hung')
  const take = (text: string): void => {
    output += text
    clearTimeout(timer)
    const done = output.includes(END, Math.max(0, output.length - text.length - END.length))
    timer = done
      ? setTimeout(end, LEAVE_SECONDS * 1000, 'did not end by itself: a test left something open')
      : setTimeout(end, SILENCE_SECONDS * 1000, `said nothing for ${SILENCE_SECONDS} seconds`)
  }
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', take)
  signal.addEventListener('abort', stopped, { once: true })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => endGroup(child))
    child.once('close', (status) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stopped)
      resolve({ chunk, output, status: status ?? undefined, killed })
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
