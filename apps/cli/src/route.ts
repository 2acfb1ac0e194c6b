import type { Route } from '@fleet/sdk/core'
import type { CliCommand } from '@fleet/surfaces'

export type Members = Record<string, unknown>

/** What a request needs to know of a command. */
export const routeOf = ({
  name,
  method,
  path,
  kind,
  maxAnswerBytes,
  arguments: args,
  options,
}: CliCommand): Route => ({
  name,
  method,
  path,
  kind,
  maxAnswerBytes,
  members: Object.fromEntries([...args, ...options].map(({ member, place }) => [member, place])),
})
