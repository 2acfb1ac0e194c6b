import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** What a server with an HTTPS address prints as its first line. */
export interface Ready {
  readonly url: string
  readonly ca: string
}

/** A server in a process of its own, so that the load does not run on its thread. */
export interface ServerProcess<R = Ready> extends Disposable {
  /** What the server printed as its first line. */
  readonly ready: R
  readonly child: ChildProcess
}

/** Starts `bench/servers/<name>.ts` and waits for its first line of JSON. */
export async function startServer<R = Ready>(
  name: string,
  ...args: readonly string[]
): Promise<ServerProcess<R>> {
  const child = spawn(process.execPath, [new URL(`${name}.ts`, import.meta.url).pathname, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = JSON.parse(line) as R // as: the servers of this folder print what their callers name.
    return { ready, child, [Symbol.dispose]: () => void child.kill('SIGKILL') }
  }
  throw new Error(`the ${name} server ended before it was ready`)
}
