import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { createInterface } from 'node:readline'

export type Kind = 'fleet' | 'naive' | 'bun' | 'bare' | 'http'
export type Mode = 'plain' | 'tls'

/** A server in a process of its own, on a core of its own where the machine lets us choose. */
export interface Server extends Disposable {
  readonly kind: Kind
  readonly mode: Mode
  readonly port: number
  readonly pid: number
  /** Collects the garbage of the server and answers the KiB that live on its heap and beside it; 0 of Bun. */
  collect(): Promise<number>
}

const FILES: Readonly<Record<Kind, string>> = {
  fleet: 'feed-fleet.ts',
  naive: 'feed-naive.ts',
  bun: 'feed-bun.mjs',
  bare: 'feed-bare.ts',
  http: 'http-bare.ts',
}

const BUN = new URL('../../node_modules/@oven/bun-linux-x64/bin/bun', import.meta.url).pathname
/** Only where its package for this machine is installed. */
export const hasBun = existsSync(BUN)

const canPin = cpus().length >= 2 && spawnSync('taskset', ['--version']).status === 0

/** Leaves the first core to the servers. */
export function pinLoad(): void {
  if (canPin) spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '1', String(process.pid)])
}

export async function startServer(kind: Kind, mode: Mode, home: string): Promise<Server> {
  const file = new URL(`../servers/${FILES[kind]}`, import.meta.url).pathname
  const words = [...(kind === 'bun' ? [BUN] : [process.execPath, '--expose-gc']), file, mode, home]
  const [program = '', ...rest] = canPin ? ['taskset', '--cpu-list', '0', ...words] : words
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = linesOf(child)
  const { port, pid } = JSON.parse(await next(lines)) as { port: number; pid: number } // as: the servers of this folder print it.
  return {
    kind,
    mode,
    port,
    pid,
    collect: async () => {
      process.kill(pid, 'SIGUSR2')
      return Number(await next(lines))
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  }
}

function linesOf({ stdout }: ChildProcess): AsyncIterator<string> {
  if (!stdout) throw new Error('the server has no output')
  return createInterface({ input: stdout })[Symbol.asyncIterator]()
}

async function next(lines: AsyncIterator<string>): Promise<string> {
  const line: IteratorResult<string, undefined> = await lines.next()
  if (line.done) throw new Error('the server ended')
  return line.value
}

/** Seconds of a core that a process has used, all its threads together. */
export function cpuSeconds(pid: number): number {
  const folder = `/proc/${pid}/task`
  const spent = readdirSync(folder).map((id) =>
    Number(readFileSync(`${folder}/${id}/schedstat`, 'utf8').split(' ')[0]),
  )
  return spent.reduce((sum, one) => sum + one, 0) / 1e9
}

/** KiB of memory of its own that a process holds. */
export function anonymousKib(pid: number): number {
  const [, kib] = /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib)
}
