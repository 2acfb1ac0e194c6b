import type { Context, Invocation } from '#/context.ts'
import type { ExitCode } from '#/exit.ts'

/** A command of this client with its members read; 0 is its exit status when it answers none. */
export type LocalRun = (
  context: Context,
  invocation: Invocation,
  members: Readonly<Record<string, unknown>>,
) => Promise<ExitCode | void>
