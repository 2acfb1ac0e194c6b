/** What prints: standard output or standard error of a process. */
interface Printing {
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown
}

/** The reader is gone, or the terminal is. */
const GONE: readonly string[] = ['EPIPE', 'EIO']

/** A command finishes its work when nobody reads any more what it says: `head` has seen enough, or a connection ended. */
export function outliveReaders(streams: readonly Printing[] = [process.stdout, process.stderr]): void {
  for (const stream of streams)
    stream.on('error', (error) => {
      if (!GONE.includes(error.code ?? '')) throw error
    })
}
