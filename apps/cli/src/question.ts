import type { CliCommand } from '@fleet/surfaces'
import { argumentName } from './args/values.ts'
import { ClientError, EXIT } from './exit.ts'
import { warnings } from './hints.ts'
import { losses, type Members, type Read } from './losses.ts'
import { inline } from './print/value.ts'
import type { Terminal } from './terminal.ts'

/**
 * Without a terminal there is nobody to ask, so the confirmation must be on the command line (CLU-043). Throws
 * `<family>.confirmation_required`, for Routes `input.confirmation_required` (RTX-016).
 */
export function refuseUnasked(terminal: Terminal, { name }: CliCommand): void {
  if (terminal.inIsTerminal && terminal.errIsTerminal) return
  const [family = ''] = name.split(':')
  throw new ClientError(
    `${family === 'route' ? 'input' : family}.confirmation_required`,
    `${name} is destructive and needs confirmation, and there is no terminal to ask on.`,
    { exit: EXIT.usage, next: 'Confirm with --yes.' },
  )
}

export interface TypedMembers {
  /** Members as they were typed, for the words of the question. */
  readonly typed: Members
  /** The same with ids in the place of names. */
  readonly members: Members
}

/** Asks for confirmation, after naming what would be lost. Throws unless the answer is yes. */
export async function confirm(
  terminal: Terminal,
  operation: CliCommand,
  { typed, members }: TypedMembers,
  read: Read,
): Promise<void> {
  const what = operation.arguments
    .filter(({ member }) => typed[member] !== undefined)
    .map((field) => `${argumentName(field).toLowerCase()} ${inline(typed[field.member])}`)
    .join(', ')
  const about = what === '' ? '' : `: ${what}`
  const warning = warnings[operation.name]?.(typed)
  if (warning !== undefined) terminal.err(`${warning}\n`)
  // What cannot be read is asked about without it: the request says why.
  const lost = (await losses[operation.name]?.(read, members).catch(() => undefined)) ?? []
  terminal.err(lost.map((line) => `${line}\n`).join(''))
  const reply = await terminal.ask(`${terminal.errColors.bold(operation.summary)}${about}. Continue? [y/N] `)
  if (/^y(?:es)?$/i.test(reply?.trim() ?? '')) return
  throw new ClientError('input.cancelled', 'Nothing was changed.', { exit: EXIT.usage })
}
