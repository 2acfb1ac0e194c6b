import { join } from 'node:path'
import { systemClock } from '@fleet/kernel/clock'
import type { Context } from './context.ts'
import { readEnvironment } from './env.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { commandSender } from './gateway/sender.ts'
import { requestIds } from './ids.ts'
import { interruption, type Sent, unread } from './leaving.ts'
import { type Progressed, run } from './run.ts'
import { readTree } from './tree.ts'
import { processTerminal, silentAfter, type Terminal } from './terminal.ts'

/** How long an interrupted command may take to close behind itself what it opened on the gateway. */
const LEAVING_MILLISECONDS = 1000

process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<ExitCode> {
  const environment = readEnvironment(join(import.meta.dirname, '../../..'))
  const stop = new AbortController()
  const shown = await processTerminal(environment)
  const terminal = silentAfter(stop.signal, shown)
  const progressed: Progressed = {}
  let sent: Sent | undefined
  let outcome: ExitCode | undefined
  let leave = leaveBy('SIGINT')
  // A hangup is left to the shell: who started this under nohup wants it to go on.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      if (!stop.signal.aborted) leave = leaveBy(signal)
      // Takes the progress line off the terminal at once.
      stop.abort()
      shown.err(interruption(sent))
      void systemClock.sleep(LEAVING_MILLISECONDS).then(leave)
    })
  onUnwritten(() => unread(sent, outcome))
  const tree = readTree()
  const context: Context = {
    environment,
    terminal,
    clock: systemClock,
    tree,
    signal: stop.signal,
    sender: (wish) => commandSender(wish, tree.errors),
    newRequestId: () => requestIds.uuid(),
    openPage: async (url) => (await import('./instances/browser.ts')).openPage(url),
    onRequest: (request) => (sent = request),
    onOutcome: (exit) => (outcome = exit),
  }
  try {
    const exit = await run(words, context, progressed)
    // A name that is still looked up would keep the shell waiting for words that nobody asks for any more.
    if (words[0] === '__complete') process.exit(exit)
    return exit
  } catch (error) {
    return await fail(error, progressed, terminal)
  } finally {
    if (stop.signal.aborted) leave()
  }
}

/** Whoever asked for the end of this process sees that it came by that. */
function leaveBy(signal: 'SIGINT' | 'SIGTERM'): () => void {
  return () => {
    if (signal === 'SIGINT') process.exit(EXIT.interrupted)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  }
}

async function fail(error: unknown, progressed: Progressed, terminal: Terminal): Promise<ExitCode> {
  const { printFailure } = await import('./print/errors.ts')
  const { failureContext } = await import('./print/failure-context.ts')
  return printFailure(error, await failureContext(error, progressed), terminal)
}

function onUnwritten(unreadNow: () => ReturnType<typeof unread>): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      const { exit, text } = unreadNow()
      process.stderr.write(text)
      process.exit(exit)
    }
    process.stderr.write(`The answer cannot be written to standard output: ${error.code ?? error.message}.\n`)
    process.exit(EXIT.refused)
  })
}
