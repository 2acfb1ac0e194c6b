import type { Clock } from '@fleet/kernel'
import type { Sender } from '@fleet/sdk/core'
import type { CliTree } from '@fleet/surfaces'
import type { Globals } from './args/globals.ts'
import type { ParsedLine } from './args/parse.ts'
import type { CommandSpec } from './command-spec.ts'
import type { Environment } from './env.ts'
import type { ExitCode } from './exit.ts'
import type { SenderWish } from './gateway/sender.ts'
import type { Terminal } from './terminal.ts'

/** What every command of one process shares. */
export interface Context {
  readonly environment: Environment
  readonly terminal: Terminal
  readonly clock: Clock
  readonly tree: CliTree
  /** Aborts the work in progress at Ctrl-C. */
  readonly signal: AbortSignal
  /** Makes the sender of a connection. */
  readonly sender: (wish: SenderWish) => Sender
  /** Identity for a request whose caller gave none. */
  readonly newRequestId: () => string
  /** Hands a page to the browser of the person; false where none could be started. */
  readonly openPage: (url: string) => Promise<boolean>
  /** Called before a request is sent, so that an interruption can name it. */
  readonly onRequest: (request: {
    readonly id: string
    readonly changes: boolean
    readonly target: string
    /** What an interruption means, where the client knows better than that the request may still be worked on. */
    readonly interrupted?: string
  }) => void
  /** Called with how the command will end as soon as that is known, before its answer is printed. */
  readonly onOutcome: (exit: ExitCode) => void
}

/** One command as it was typed. */
export interface Invocation {
  readonly command: CommandSpec
  readonly line: ParsedLine
  readonly globals: Globals
}
