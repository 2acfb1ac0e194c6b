/** What fits in the place of the last word of a line, and that word. */
export type Complete = (line: string) => Promise<readonly [candidates: readonly string[], word: string]>

const COMMANDS = ['\\dt', '\\d ', '\\q', '\\?']

/** Completes names of tables, asked for once; where they cannot be had, nothing is offered. */
export function completer(tables: () => Promise<readonly string[]>): Complete {
  let known: Promise<readonly string[]> | undefined
  return async (line) => {
    const word = /[^\s,()=<>;]*$/.exec(line)?.[0] ?? ''
    if (word.startsWith('\\') && word === line.trimStart())
      return [COMMANDS.filter((command) => command.startsWith(word)), word]
    known ??= tables().catch(() => [])
    const lower = word.toLowerCase()
    return [(await known).filter((table) => table.toLowerCase().startsWith(lower)), word]
  }
}
