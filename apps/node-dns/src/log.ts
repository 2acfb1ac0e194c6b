/** One line of the journal; never a value that came over the network. */
export type Log = (message: string) => void

export const journal: Log = (message) => void process.stdout.write(`${JSON.stringify({ msg: message })}\n`)
