import type { Context, Invocation } from '#/context.ts'

/** A command of this client with its members read. */
export type LocalRun = (
  context: Context,
  invocation: Invocation,
  members: Readonly<Record<string, unknown>>,
) => Promise<void>
