import { EXIT, ClientError, usage } from '#/exit.ts'
import type { CliField } from '@fleet/surfaces'
import type { Terminal } from '#/terminal.ts'

/**
 * Fills in the secret members, also for `-`: by a question without echo on a terminal, otherwise from standard input.
 * One line end at the end of standard input belongs to the pipe, not to the value.
 */
export async function fillSecrets(
  members: Record<string, unknown>,
  fields: readonly CliField[],
  terminal: Terminal,
): Promise<void> {
  const [field, second] = fields.filter(
    (candidate) => candidate.secret && (candidate.required || candidate.member in members),
  )
  if (!field) return
  if (second) throw usage('Only one secret value can be read from standard input.')
  const given = members[field.member]
  if (given === null) return
  if (typeof given === 'string' && given !== '-') return noteHistory(field, terminal)
  // Who writes a dash means to pipe, so nothing piped is an empty value; on a terminal it would be read with its echo.
  const isPiped = given === '-' && !terminal.inIsTerminal
  members[field.member] = isPiped
    ? withoutLineEnd(await terminal.readInput())
    : await obtained(field, terminal)
}

async function obtained(field: CliField, terminal: Terminal): Promise<string> {
  if (terminal.inIsTerminal) {
    const typed = await terminal.askSecret(`${field.name}: `)
    if (typed === undefined)
      throw new ClientError('interrupted', 'No value was entered.', { exit: EXIT.interrupted })
    return typed
  }
  const text = withoutLineEnd(await terminal.readInput())
  // Nothing on standard input is more often a forgotten pipe than an empty value.
  if (text === '')
    throw usage(
      field.asked
        ? `Standard input is empty. Pipe the ${field.name} in, or run the command on a terminal, which asks for it.`
        : `Standard input is empty. To store an empty value, pass ''.`,
    )
  return text
}

const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')

function noteHistory(field: CliField, terminal: Terminal): void {
  if (!terminal.errIsTerminal) return
  terminal.err(
    terminal.errColors.dim(
      `The value is now in the history of your shell. Leave it out to enter it without echo.\n`,
    ),
  )
}
