// Runs the commands of one test process, which starts it by `runBeside` and whose end ends it.
import { Secret } from '@fleet/kernel'
import { type OutputListener, runLocally, SshFailure } from '@fleet/ssh'
import type { Reply, Request } from './messages.ts'

type Run = Extract<Request, { kind: 'run' }>

const running = new Map<number, AbortController>()

const send = (reply: Reply): void => void process.send?.(reply)

async function run({ id, command: sent, options, isObserved }: Run): Promise<void> {
  const control = new AbortController()
  running.set(id, control)
  const { secret, ...command } = sent
  const onOutput: OutputListener = (stream, chunk) => send({ kind: 'output', id, stream, chunk })
  try {
    const result = await runLocally(
      { ...command, ...(secret === undefined ? {} : { stdin: new Secret(secret) }) },
      { ...options, signal: control.signal, ...(isObserved ? { onOutput } : {}) },
    )
    send({ kind: 'ended', id, result })
  } catch (error) {
    if (error instanceof SshFailure) send({ kind: 'failed', id, failure: error.kind, sent: error.sent })
    else send({ kind: 'broken', id, error: error instanceof Error ? error : new Error(String(error)) })
  } finally {
    running.delete(id)
  }
}

process.on('message', (request: Request) => {
  if (request.kind === 'cancel') running.get(request.id)?.abort()
  else void run(request)
})
process.once('disconnect', () => process.exit(0))
