import { join } from 'node:path'
import { systemClock } from '@fleet/kernel/clock'
import type { Context } from './context.ts'
import { readEnvironment } from './env.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { commandSender } from './gateway/sender.ts'
import { requestIds } from './ids.ts'
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
  onInterrupt(() => {
    // Takes the progress line off the terminal at once.
    stop.abort()
    shown.err(interruption(sent))
    void systemClock.sleep(LEAVING_MILLISECONDS).then(leave)
  })
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

function leave(): never {
  process.exit(EXIT.interrupted)
}

async function fail(error: unknown, progressed: Progressed, terminal: Terminal): Promise<ExitCode> {
  const { printFailure } = await import('./print/errors.ts')
  const { failureContext } = await import('./print/failure-context.ts')
  return printFailure(error, await failureContext(error, progressed), terminal)
}

function onInterrupt(act: () => void): void {
  process.once('SIGINT', act)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, such as head, is no error.
    if (error.code === 'EPIPE') process.exit(EXIT.ok)
    process.stderr.write(`The answer cannot be written to standard output: ${error.code ?? error.message}.\n`)
    process.exit(EXIT.refused)
  })
}

type Sent = Omit<Parameters<Context['onRequest']>[0], 'target'>

function interruption(sent: Sent | undefined): string {
  if (sent?.interrupted !== undefined) return `\nInterrupted. ${sent.interrupted}\n`
  if (!sent?.changes) return '\nInterrupted.\n'
  return `\nInterrupted. The gateway may still be working on the request: fleet activity:list --request-id ${sent.id}\n`
}
