import { execute, type SshServer } from './ssh-server.ts'

/** OpenSSH's client over one connection that stays open. */
export interface Master extends AsyncDisposable {
  /** Words of `ssh` that make it use the connection; the host follows. */
  readonly words: readonly string[]
  readonly host: string
  run(line: string): Promise<{ readonly stdout: string }>
}

export async function startMaster({ target }: SshServer, openssh: readonly string[]): Promise<Master> {
  const host = `${target.user}@${target.host}`
  const socket = `/tmp/fleet-bench-${process.pid}-${target.port}.sock`
  const words = [...openssh, '-p', String(target.port), '-S', socket]
  await execute('ssh', [...words, '-M', '-N', '-f', host])
  return {
    words,
    host,
    run: (line) => execute('ssh', [...words, host, line], { maxBuffer: 2 ** 28 }),
    [Symbol.asyncDispose]: async () => void (await execute('ssh', [...words, '-O', 'exit', host])),
  }
}
