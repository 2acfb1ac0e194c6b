import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@fleet/kernel'
import { systemClock } from '@fleet/kernel/clock'
import type { Context } from './context.ts'
import { readEnvironment } from './env.ts'
import type { ExitCode } from './exit.ts'
import { FakeTerminal, type FakeTerminalOptions } from './fake-terminal.ts'
import { commandSender } from './gateway/sender.ts'
import { requestIds } from './ids.ts'
import type { Sent } from './leaving.ts'
import { printFailure } from './print/errors.ts'
import { failureContext } from './print/failure-context.ts'
import { type Progressed, run } from './run.ts'
import { readTree } from './tree.ts'

export interface Ended {
  readonly exit: number
  readonly out: string
  readonly err: string
  readonly questions: readonly string[]
}

export interface Begun {
  readonly terminal: FakeTerminal
  readonly ended: Promise<Ended>
  /** What was said before each request, for an interruption. */
  readonly requests: readonly Sent[]
  /** What was said of how it will end, for a reader that closes early. */
  readonly outcomes: readonly ExitCode[]
  /** Ctrl-C. */
  interrupt(): void
}

/** A person with a home of their own who types command lines. For tests. */
export interface Person {
  readonly home: string
  type(words: readonly string[], terminal?: FakeTerminalOptions): Promise<Ended>
  /** The same for a command that keeps running: its output so far can be read. */
  begin(words: readonly string[], terminal?: FakeTerminalOptions): Begun
  [Symbol.dispose](): void
}

export function makePerson(
  clock: Clock = systemClock,
  openPage: Context['openPage'] = async () => false,
  workingDirectory?: () => string,
): Person {
  const home = mkdtempSync(join(tmpdir(), 'fleet-person-'))
  const tree = readTree()
  const base: Omit<Context, 'terminal' | 'signal' | 'onRequest' | 'onOutcome'> = {
    environment: readEnvironment(join(home, 'checkout'), { HOME: home }, workingDirectory),
    clock,
    tree,
    sender: (wish) => commandSender(wish, tree.errors),
    openPage,
    newRequestId: () => requestIds.uuid(),
  }
  const begin: Person['begin'] = (words, options) => {
    const terminal = new FakeTerminal(options)
    const stop = new AbortController()
    const progressed: Progressed = {}
    const requests: Sent[] = []
    const outcomes: ExitCode[] = []
    const onOutcome: Context['onOutcome'] = (exit) => void outcomes.push(exit)
    const onRequest: Context['onRequest'] = (request) => void requests.push(request)
    const ending = async (): Promise<Ended> => {
      const exit = await run(
        words,
        { ...base, terminal, signal: stop.signal, onRequest, onOutcome },
        progressed,
      ).catch(async (error: unknown) =>
        printFailure(error, await failureContext(error, progressed), terminal),
      )
      return { exit, out: terminal.outText, err: terminal.errText, questions: terminal.questions }
    }
    return { terminal, requests, outcomes, ended: ending(), interrupt: () => stop.abort() }
  }
  return {
    home,
    type: (words, options) => begin(words, options).ended,
    begin,
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}
