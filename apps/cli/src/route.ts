import type { Route } from '@fleet/sdk/core'
import type { CliCommand } from '@fleet/surfaces'

export type Members = Record<string, unknown>

/** Whether the request may leave something changed. */
export const isChange = (
  { name, method, changesWith }: Pick<CliCommand, 'name' | 'method' | 'changesWith'>,
  members: Readonly<Members>,
): boolean =>
  method !== 'GET' && !PASSING.has(name) && (changesWith === undefined || members[changesWith] === true)

/** Not sent as reads, but nothing that they do outlives the command that waits for them. */
const PASSING: ReadonlySet<string> = new Set([
  'broadcasting:authorize',
  'doctor:run',
  ...['instance', 'process'].flatMap((family) =>
    ['open', 'renew', 'close'].map((verb) => `${family}:log-stream:${verb}`),
  ),
])

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
