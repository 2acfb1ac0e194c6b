import type { Answer } from '@fleet/sdk/core'
import type { CliCommand } from '@fleet/surfaces'
import { printAnswer } from './print/answer.ts'
import type { Terminal } from './terminal.ts'

/** Prints an answer, and on a terminal what it means and what to type next. */
export async function present(
  terminal: Terminal,
  operation: CliCommand,
  typed: Readonly<Record<string, unknown>>,
  { data, status }: Answer<unknown>,
): Promise<void> {
  await printAnswer(operation.name, data, terminal)
  if (!terminal.errIsTerminal || operation.method === 'GET') return
  const { afterwards } = await import('./hints.ts')
  const next = afterwards[operation.name]?.replace(/\{(\w+)\}/g, (_whole, member: string) =>
    String(typed[member]),
  )
  if (operation.creates && status === 200) note(terminal, 'It was there already; this is the stored record.')
  if (next !== undefined) note(terminal, next)
}

const note = (terminal: Terminal, text: string): void => terminal.err(terminal.errColors.dim(`${text}\n`))
