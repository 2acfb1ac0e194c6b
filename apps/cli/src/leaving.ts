import { EXIT, type ExitCode } from './exit.ts'

/** The request that a command sent last. */
export interface Sent {
  readonly id: string
  readonly changes: boolean
  /** What leaving means, where the client knows better than that the request may still be worked on. */
  readonly interrupted?: string
}

/** What Ctrl-C leaves behind. */
export function interruption(sent: Sent | undefined): string {
  const left = stillAtWork(sent)
  return left === undefined ? '\nInterrupted.\n' : `\nInterrupted. ${left}\n`
}

/**
 * How a command ends whose standard output nobody reads any more. A reader that has seen enough of an answer, such as `head`,
 * is no error; a change whose outcome is not known yet has not succeeded, and what comes next must not begin as if it had.
 */
export function unread(
  sent: Sent | undefined,
  outcome: ExitCode | undefined,
): { readonly exit: ExitCode; readonly text: string } {
  if (!sent?.changes) return { exit: EXIT.ok, text: '' }
  if (outcome !== undefined) return { exit: outcome, text: '' }
  return { exit: EXIT.unread, text: `Nobody reads the output any more. ${stillAtWork(sent) ?? ''}\n` }
}

function stillAtWork(sent: Sent | undefined): string | undefined {
  if (sent?.interrupted !== undefined) return sent.interrupted
  if (!sent?.changes) return undefined
  return `The gateway may still be working on the request: fleet activity:list --request-id ${sent.id}`
}
