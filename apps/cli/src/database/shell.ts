import type { DatabaseResultData } from '@fleet/contract'
import type { Context } from '#/context.ts'
import { ClientError, EXIT } from '#/exit.ts'
import { type GatewayLink, linkOf } from '#/live/gateway-link.ts'
import type { LocalRun } from '#/local/local-run.ts'
import type { Prompt } from '#/line-prompt.ts'
import { printFailure } from '#/print/errors.ts'
import { oneLine } from '#/print/text.ts'
import { isObject } from '#/print/value.ts'
import { completer } from './complete.ts'
import { readHistory, SecretLines, writeHistory } from './history.ts'
import { resultLines } from './result.ts'
import { type Input, Statements } from './statements.ts'

const HELP = [
  'A statement ends with a semicolon. Only reads are run: use fleet database:query --write to change something.',
  '\\dt          tables and views',
  '\\d TABLE     columns of a table',
  '\\q           leave (or Ctrl-D)',
]

interface Shell {
  /** Ends the statement that runs. */
  running: AbortController
  readonly context: Context
  readonly link: GatewayLink
  readonly slug: string
  readonly json: boolean
}

/** `fleet database:shell`: a prompt whose statements are reads, each a request of its own. */
export const runDatabaseShell: LocalRun = async (context, invocation, members) => {
  const link = await linkOf(context, invocation)
  const slug = String(members['slug'])
  const shell: Shell = { context, link, slug, json: invocation.globals.json, running: new AbortController() }
  // An unknown slug, a missing grant and a driver without tables end the command before the first prompt.
  await link.ask('database:show', { slug })
  const { terminal, environment } = context
  const history = `${environment.configFolder}/database-history`
  const words = completer(() => tablesOf(shell))
  using prompt = await terminal.prompt({
    history: terminal.inIsTerminal ? await readHistory(history) : [],
    complete: words,
    onInterrupt: () => shell.running.abort(),
  })
  if (terminal.inIsTerminal) terminal.err(`${slug}: reads only. \\? for help, \\q to leave.\n`)
  const secret = new SecretLines()
  try {
    await converse(shell, prompt.next, secret)
  } finally {
    if (terminal.inIsTerminal) await writeHistory(history, prompt.history(), secret)
  }
}

async function converse(shell: Shell, next: Prompt['next'], secret: SecretLines): Promise<void> {
  const statements = new Statements()
  let failed = false
  for (;;) {
    const typed = await next(statements.isOpen ? `${shell.slug}-> ` : `${shell.slug}=> `)
    if (typed.kind === 'end' || shell.context.signal.aborted) break
    if (typed.kind === 'interrupted') statements.clear()
    else secret.add(typed.text)
    const inputs = typed.kind === 'line' ? statements.add(typed.text) : []
    if (!statements.isOpen) secret.end()
    for (const input of inputs) {
      if (input.kind === 'quit') return
      failed = !(await runInput(shell, input)) || failed
    }
  }
  const rest = statements.rest()
  if (rest !== undefined) failed = !(await runInput(shell, { kind: 'sql', sql: rest })) || failed
  // A script wants to know; a person has seen it.
  if (failed && !shell.context.terminal.inIsTerminal)
    throw new ClientError('database.query_failed', 'A statement failed.', { exit: EXIT.refused })
}

/** Prints the answer or the failure; true when it succeeded. */
async function runInput(shell: Shell, input: Exclude<Input, { kind: 'quit' }>): Promise<boolean> {
  const { terminal } = shell.context
  const running = new AbortController()
  shell.running = running
  try {
    for (const line of await answerTo(shell, input)) terminal.out(`${line}\n`)
    return true
  } catch (error) {
    if (running.signal.aborted) terminal.err('Not waiting for the answer any more.\n')
    else printFailure(error, { command: 'database:shell', json: shell.json, target: undefined }, terminal)
    return false
  }
}

async function answerTo(shell: Shell, input: Exclude<Input, { kind: 'quit' }>): Promise<readonly string[]> {
  const { slug, link, context, json } = shell
  const signal = AbortSignal.any([context.signal, shell.running.signal])
  const paper = { columns: context.terminal.columns, colors: context.terminal.outColors }
  if (input.kind === 'help') return HELP
  if (input.kind === 'tables') return (await tablesOf(shell)).map(oneLine)
  if (input.kind === 'describe') {
    const described = await link.ask('database:describe', { slug, table: input.table }, { signal })
    const rows =
      isObject(described) && Array.isArray(described['columns']) ? described['columns'].filter(isObject) : []
    const columns = ['name', 'type', 'nullable', 'default', 'primary']
    return resultLines(
      { columns, rows: [...rows], row_count: rows.length, truncated: false, write: false },
      paper,
    )
  }
  const result = await link.ask('database:query', { slug, sql: input.sql }, { signal })
  if (json) return [JSON.stringify(result)]
  return resultLines(result as DatabaseResultData, paper) // The gateway answers by this declaration.
}

async function tablesOf({ link, slug }: Shell): Promise<readonly string[]> {
  const answer = await link.ask('database:tables', { slug })
  return isObject(answer) && Array.isArray(answer['tables']) ? answer['tables'].map(String) : []
}
