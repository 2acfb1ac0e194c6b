import type { DatabaseResultData } from '@fleet/contract'
import type { ParsedLine } from '#/args/parse.ts'
import { usage } from '#/exit.ts'
import { linkOf } from '#/live/gateway-link.ts'
import type { LocalRun } from '#/local/local-run.ts'
import { runOperation } from '#/operation.ts'
import { csvText } from './csv.ts'

/** `fleet database:query`: the operation, with the statement from standard input for `-`, and rows as CSV. */
export const runDatabaseQuery: LocalRun = async (context, invocation, members) => {
  const { csv, ...wanted } = members
  if (csv === true && invocation.globals.json) throw usage('Use --csv or --json, not both.')
  const sql = wanted['sql'] === '-' ? await context.terminal.readInput() : wanted['sql']
  if (csv === true) {
    const link = await linkOf(context, invocation)
    const result = await link.ask('database:query', { ...wanted, sql })
    context.terminal.out(csvText(result as DatabaseResultData)) // The gateway answers by this declaration.
    return
  }
  const operation = context.tree.commands['database:query']
  if (!operation) throw new Error('the catalogue has no database:query')
  const line = { ...withoutCsv(invocation.line), positionals: [String(wanted['slug']), String(sql)] }
  await runOperation(context, { ...invocation, command: operation, line }, operation)
}

/** The arguments are given as positionals again, whatever form they had. */
const withoutCsv = (line: ParsedLine): ParsedLine => ({
  ...line,
  options: new Map([...line.options].filter(([name]) => !['csv', 'slug', 'sql'].includes(name))),
})
