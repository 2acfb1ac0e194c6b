import type { CliCommand } from '@fleet/surfaces'
import { argumentName } from './args/values.ts'
import { ClientError, EXIT } from './exit.ts'
import { warnings } from './hints.ts'
import { inline } from './print/value.ts'
import type { Terminal } from './terminal.ts'

/**
 * Without a terminal there is nobody to ask, so the confirmation must be on the command line (CLU-043). Throws
 * `<family>.confirmation_required`.
 */
export function refuseUnasked(terminal: Terminal, { name }: CliCommand): void {
  if (terminal.inIsTerminal && terminal.errIsTerminal) return
  const [family = ''] = name.split(':')
  throw new ClientError(
    `${family}.confirmation_required`,
    `${name} is destructive and needs confirmation, and there is no terminal to ask on.`,
    { exit: EXIT.usage, next: 'Confirm with --yes.' },
  )
}

/** Asks for confirmation. Throws unless the answer is yes. */
export async function confirm(
  terminal: Terminal,
  operation: CliCommand,
  typed: Readonly<Record<string, unknown>>,
): Promise<void> {
  const what = operation.arguments
    .filter(({ member }) => typed[member] !== undefined)
    .map((field) => `${argumentName(field).toLowerCase()} ${inline(typed[field.member])}`)
    .join(', ')
  const warning = warnings[operation.name]?.(typed)
  if (warning !== undefined) terminal.err(`${warning}\n`)
  const reply = await terminal.ask(`${terminal.errColors.bold(operation.summary)}: ${what}. Continue? [y/N] `)
  if (/^y(?:es)?$/i.test(reply?.trim() ?? '')) return
  throw new ClientError('cancelled', 'Nothing was changed.', { exit: EXIT.usage })
}
