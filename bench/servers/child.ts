import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A server in a process of its own, so that the load does not run on its thread. */
export interface ServerProcess extends Disposable {
  /** What the server printed as its first line. */
  readonly ready: { readonly url: string; readonly ca: string }
  readonly child: ChildProcess
}

/** Starts `bench/servers/<name>.ts` and waits for its first line of JSON. */
export async function startServer(name: string, ...args: readonly string[]): Promise<ServerProcess> {
  const child = spawn(process.execPath, [new URL(`${name}.ts`, import.meta.url).pathname, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = JSON.parse(line) as ServerProcess['ready'] // The servers of this folder print this shape.
    return { ready, child, [Symbol.dispose]: () => void child.kill('SIGKILL') }
  }
  throw new Error(`the ${name} server ended before it was ready`)
}
