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
import { type Progressed, run } from './run.ts'
import { readTree } from './tree.ts'

export interface Ended {
  readonly exit: number
  readonly out: string
  readonly err: string
  readonly questions: readonly string[]
}

/** A person with a home of their own who types command lines. For tests. */
export interface Person {
  readonly home: string
  type(words: readonly string[], terminal?: FakeTerminalOptions): Promise<Ended>
  [Symbol.dispose](): void
}

export function makePerson(clock: Clock = systemClock): Person {
  const home = mkdtempSync(join(tmpdir(), 'fleet-person-'))
  const tree = readTree()
  const base: Omit<Context, 'terminal'> = {
    environment: readEnvironment(join(home, 'checkout'), { HOME: home }),
    clock,
    tree,
    signal: new AbortController().signal,
    sender: (wish) => commandSender(wish, tree.errors),
    newRequestId: () => requestIds.uuid(),
    onRequest: () => undefined,
  }
  return {
    home,
    async type(words, options) {
      const terminal = new FakeTerminal(options)
      const progressed: Progressed = {}
      const exit = await run(words, { ...base, terminal }, progressed).catch((error: unknown) =>
        printFailure(
          error,
          { command: progressed.command, json: progressed.json === true, target: progressed.target },
          terminal,
        ),
      )
      return { exit, out: terminal.outText, err: terminal.errText, questions: terminal.questions }
    },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}
