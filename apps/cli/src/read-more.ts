import type { CallOptions, Sender } from '@fleet/sdk/core'
import type { Context } from './context.ts'
import { type Members, routeOf } from './route.ts'

/** Answers the `data` of another operation, by its name; nothing for one that there is not. Waits as long as any request by default. */
export type ReadMore = (
  operation: string,
  members: Readonly<Members>,
  timeoutSeconds?: number,
) => Promise<unknown>

/** Reads what a command needs besides its own answer, such as lists that have names. */
export const readerOf =
  (sender: Sender, { tree }: Pick<Context, 'tree'>, options: CallOptions): ReadMore =>
  async (name, members, timeoutSeconds = options.timeoutSeconds) => {
    const operation = tree.commands[name]
    return (
      operation &&
      (await sender.send(routeOf(operation), { ...members }, { ...options, timeoutSeconds })).data
    )
  }
