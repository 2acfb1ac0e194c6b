import { join } from 'node:path'
import { systemClock } from '@fleet/kernel/clock'
import type { Context } from './context.ts'
import { readEnvironment } from './env.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { commandSender } from './gateway/sender.ts'
import { requestIds } from './ids.ts'
import { type Progressed, run } from './run.ts'
import { readTree } from './tree.ts'
import { processTerminal, type Terminal } from './terminal.ts'

process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<ExitCode> {
  const environment = readEnvironment(join(import.meta.dirname, '../../..'))
  const terminal = await processTerminal(environment.color)
  const stop = new AbortController()
  const progressed: Progressed = {}
  let sent: { readonly id: string; readonly changes: boolean } | undefined
  onInterrupt(() => {
    // Takes the progress line off the terminal at once.
    stop.abort()
    terminal.err(interruption(sent))
    process.exit(EXIT.interrupted)
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
    onRequest: (request) => (sent = request),
  }
  try {
    return await run(words, context, progressed)
  } catch (error) {
    return fail(error, progressed, terminal)
  }
}

async function fail(
  error: unknown,
  { command, json, target }: Progressed,
  terminal: Terminal,
): Promise<ExitCode> {
  const { printFailure } = await import('./print/errors.ts')
  return printFailure(error, { command, json: json === true, target }, terminal)
}

function onInterrupt(act: () => void): void {
  process.once('SIGINT', act)
  // A reader that has seen enough, such as head, is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.refused),
  )
}

function interruption(sent: { readonly id: string; readonly changes: boolean } | undefined): string {
  if (!sent?.changes) return '\nInterrupted.\n'
  return `\nInterrupted. The gateway may go on with it: fleet activity:list --request-id ${sent.id}\n`
}
