import type { CommandSpec } from '#/command-spec.ts'
import { ClientError, EXIT } from '#/exit.ts'
import type { Members } from '#/route.ts'

/** A change of nothing is not sent. Throws `route.update_required`, which no gateway has (RTX-011). */
export function requireChange(members: Readonly<Members>, { options }: CommandSpec): void {
  if (options.some(({ member }) => member in members)) return
  throw new ClientError(
    'route.update_required',
    `Nothing says what to change: ${options.map(({ name }) => `--${name}`).join(', ')}.`,
    { exit: EXIT.usage, next: 'fleet help route:update' },
  )
}
