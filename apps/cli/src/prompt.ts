import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { forTerminal } from './print/text.ts'

/** Asks on the terminal, on standard error so that the answer of a command stays alone on standard output. */
export function ask(question: string, secret: boolean): Promise<string | undefined> {
  const { stdin, stderr } = process
  stderr.write(forTerminal(question))
  // With a silent output readline edits the line and shows nothing of it.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({
    input: stdin,
    output: secret ? silent : stderr,
    terminal: true,
    historySize: 0,
  })
  return new Promise((resolve) => {
    let typed: string | undefined
    lines.once('line', (line) => {
      typed = line
      lines.close()
    })
    // In raw mode Ctrl-C arrives as a key.
    lines.once('SIGINT', () => {
      process.kill(process.pid, 'SIGINT')
      lines.close()
    })
    lines.once('close', () => {
      if (secret || typed === undefined) stderr.write('\n')
      resolve(typed)
    })
  })
}
