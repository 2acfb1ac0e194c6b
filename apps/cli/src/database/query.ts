import type { DatabaseResultData } from '@fleet/contract'
import type { ParsedLine } from '#/args/parse.ts'
import { EXIT, usage } from '#/exit.ts'
import type { LocalRun } from '#/local/local-run.ts'
import { runOperation, type Told } from '#/operation.ts'
import type { Terminal } from '#/terminal.ts'
import { csvText } from './csv.ts'
import { footerOf } from './result.ts'

/** `fleet database:query`: the operation, with the statement from standard input for `-`, and rows as CSV. */
export const runDatabaseQuery: LocalRun = async (context, invocation, members) => {
  const { csv, ...wanted } = members
  if (csv === true && invocation.globals.json) throw usage('Use --csv or --json, not both.')
  const sql = wanted['sql'] === '-' ? await context.terminal.readInput() : wanted['sql']
  const operation = context.tree.commands['database:query']
  if (!operation) throw new Error('the catalogue has no database:query')
  const line = { ...withoutCsv(invocation.line), positionals: [String(wanted['slug']), String(sql)] }
  return runOperation(
    context,
    { ...invocation, command: operation, line },
    operation,
    csv === true
      ? { tell: (data) => asCsv(data as DatabaseResultData, context.terminal) } // The gateway answers by this declaration.
      : undefined,
  )
}

/** Rows alone on standard output. That there are more of them than the gateway returns is a failure: a file would not show it. */
const asCsv = (result: DatabaseResultData, terminal: Terminal): Told => ({
  exit: result.truncated ? EXIT.refused : EXIT.ok,
  print: () => {
    const hasRows = result.columns.length > 0
    if (hasRows) terminal.out(csvText(result))
    if (result.truncated || !hasRows) terminal.err(`${footerOf(result)}\n`)
  },
})

/** The arguments are given as positionals again, whatever form they had. */
const withoutCsv = (line: ParsedLine): ParsedLine => ({
  ...line,
  options: new Map([...line.options].filter(([name]) => !['csv', 'slug', 'sql'].includes(name))),
})
