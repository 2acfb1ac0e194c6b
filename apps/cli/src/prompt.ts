import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ClientError, EXIT } from './exit.ts'
import { forTerminal } from './print/text.ts'

/**
 * Asks on the terminal, on standard error so that the answer of a command stays alone on standard output. Undefined at the end of
 * input; throws `interrupted` at Ctrl-C.
 */
export function ask(
  question: string,
  secret: boolean,
  {
    stdin,
    stderr,
  }: { readonly stdin: NodeJS.ReadableStream; readonly stderr: NodeJS.WritableStream } = process,
): Promise<string | undefined> {
  stderr.write(forTerminal(question))
  // With a silent output readline edits the line and shows nothing of it.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({
    input: stdin,
    output: secret ? silent : stderr,
    terminal: true,
    historySize: 0,
  })
  return new Promise((resolve, reject) => {
    let typed: string | undefined
    lines.once('line', (line) => {
      typed = line
      lines.close()
    })
    // In raw mode Ctrl-C arrives as a key.
    lines.once('SIGINT', () => {
      reject(interrupted())
      lines.close()
    })
    lines.once('close', () => {
      if (secret || typed === undefined) stderr.write('\n')
      resolve(typed)
    })
  })
}

/** Questions come before the request that they are about. */
const interrupted = (): ClientError =>
  new ClientError('interrupted', 'Nothing was changed.', { exit: EXIT.interrupted })
