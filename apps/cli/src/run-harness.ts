import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@fleet/kernel'
import { systemClock } from '@fleet/kernel/clock'
import type { Context } from './context.ts'
import { readEnvironment } from './env.ts'
import { FakeTerminal, type FakeTerminalOptions } from './fake-terminal.ts'
import { commandSender } from './gateway/sender.ts'
import { requestIds } from './ids.ts'
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
): Person {
  const home = mkdtempSync(join(tmpdir(), 'fleet-person-'))
  const tree = readTree()
  const base: Omit<Context, 'terminal' | 'signal'> = {
    environment: readEnvironment(join(home, 'checkout'), { HOME: home }),
    clock,
    tree,
    sender: (wish) => commandSender(wish, tree.errors),
    openPage,
    newRequestId: () => requestIds.uuid(),
    onRequest: () => undefined,
    onOutcome: () => undefined,
  }
  const begin: Person['begin'] = (words, options) => {
    const terminal = new FakeTerminal(options)
    const stop = new AbortController()
    const progressed: Progressed = {}
    const ending = async (): Promise<Ended> => {
      const exit = await run(words, { ...base, terminal, signal: stop.signal }, progressed).catch(
        async (error: unknown) => printFailure(error, await failureContext(error, progressed), terminal),
      )
      return { exit, out: terminal.outText, err: terminal.errText, questions: terminal.questions }
    }
    return { terminal, ended: ending(), interrupt: () => stop.abort() }
  }
  return {
    home,
    type: (words, options) => begin(words, options).ended,
    begin,
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}
