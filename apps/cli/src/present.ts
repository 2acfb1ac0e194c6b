import type { Answer } from '@fleet/sdk/core'
import type { CliCommand, CliTree } from '@fleet/surfaces'
import { printAnswer } from './print/answer.ts'
import { foldAll } from './print/fold.ts'
import { storedCodeText } from './print/stored-code.ts'
import { widthOf } from './print/text.ts'
import { isObject, type Json } from './print/value.ts'
import type { Terminal } from './terminal.ts'
import type { FurtherRead, ListView, View } from './views/view.ts'

/** What printing an answer needs of the command that brought it. */
export interface Printing {
  readonly terminal: Terminal
  readonly tree: CliTree
  readonly operation: CliCommand
  readonly typed: Json
  /** Asks for data that a view shows too. */
  readonly read: (operation: string, members: Json, timeoutSeconds?: number) => Promise<unknown>
}

/** Prints an answer, and on a terminal what it means and what to type next. */
export async function present(printing: Printing, { data, status }: Answer<unknown>): Promise<void> {
  const { terminal, operation, typed } = printing
  const { listViews, views } = await import('./views/index.ts')
  const view = isObject(data) ? await views[operation.name]?.() : undefined
  const lines =
    view && isObject(data) ? await ofThisRelease(linesOf(view, data, printing), printing) : undefined
  if (lines) await printLines(lines, terminal)
  else {
    const rows = fullerRows(await listViews[operation.name]?.(), data, printing)
    await printAnswer(
      operation.name,
      await withNames((await ofThisRelease(rows, printing)) ?? data, printing),
      terminal,
    )
  }
  if (!terminal.errIsTerminal || operation.method === 'GET') return
  const { afterCreation, afterwards, repeated } = await import('./hints.ts')
  const isCreated = operation.creates && status === 201
  const text = (isCreated ? afterCreation[operation.name] : undefined) ?? afterwards[operation.name]
  const answered = isObject(data) ? data : {}
  const next = text?.replace(/\{(\w+)\}/g, (_whole, member: string) =>
    String(typed[member] ?? answered[member]),
  )
  if (operation.creates && status === 200)
    note(terminal, repeated[operation.name] ?? 'It already existed; this is the stored record.')
  if (next !== undefined) note(terminal, next)
}

async function fullerRows(view: ListView | undefined, data: unknown, { read }: Printing): Promise<unknown> {
  if (!view || !Array.isArray(data) || data.length === 0 || !data.every(isObject)) return data
  return view.rows(data, await Promise.all(view.also(data).map(orNothing(read))))
}

/** Names of other records in the place of their ids. */
async function withNames(data: unknown, { operation, read }: Printing): Promise<unknown> {
  if (Array.isArray(data) && data.every(isObject)) {
    const [{ nameRows }, { columns }] = await Promise.all([
      import('./print/named-ids.ts'),
      import('./hints.ts'),
    ])
    return nameRows(data, columns[operation.name], read)
  }
  if (!isObject(data) || !Object.keys(data).some((member) => /_ids?$/.test(member))) return data
  return (await import('./print/named-ids.ts')).nameRecord(data, read)
}

/**
 * What a view made, or undefined when the answer has not the members that it counts on: a gateway of another release sent it. The
 * work is done then, so the answer is printed member by member.
 */
async function ofThisRelease<T>(drawn: Promise<T>, { terminal }: Printing): Promise<T | undefined> {
  try {
    return await drawn
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    note(terminal, ANOTHER_RELEASE)
    return undefined
  }
}

const ANOTHER_RELEASE =
  'The gateway is of another release than this client (fleet gateway:status), so its answer is shown as it is.'

async function linesOf(
  view: View,
  data: Json,
  { terminal, tree, read }: Printing,
): Promise<readonly string[]> {
  const also = view.also?.(data)
  const readOrNothing = orNothing(read)
  const more = isMany(also) ? await Promise.all(also.map(readOrNothing)) : also && (await readOrNothing(also))
  const messageOf = (code: string): string | undefined => storedCodeText(tree, code)
  return view.lines(data, more, { columns: terminal.columns, colors: terminal.outColors, messageOf })
}

/** What cannot be read is not shown. */
const orNothing =
  (read: Printing['read']) =>
  ({ operation, members, timeoutSeconds }: FurtherRead): Promise<unknown> =>
    read(operation, members, timeoutSeconds).catch(() => undefined)

async function printLines(lines: readonly string[], terminal: Terminal): Promise<void> {
  const folded = foldAll(lines, terminal.columns, await widthOf(lines))
  terminal.out(folded.map((line) => `${line}\n`).join(''))
}

const isMany = (also: ReturnType<NonNullable<View['also']>> | undefined): also is readonly FurtherRead[] =>
  Array.isArray(also)

/** In one line, because it ends with a command that can be copied. */
const note = (terminal: Terminal, text: string): void => terminal.err(terminal.errColors.dim(`${text}\n`))
