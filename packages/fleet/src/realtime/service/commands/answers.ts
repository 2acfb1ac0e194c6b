import { type ErrorCode, fail } from '@fleet/contract'
import { fields, MalformedOutput, textField } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import { type ExecutableState, executableStateOf, identityOf, type Machine } from '#/nodes/api.ts'

/** SHA-256 in hex of the files; empty where one is missing or not as it was written. */
export interface ServerState {
  readonly configuration: string
  readonly unit: string
}

const REASONS: Readonly<Record<string, ErrorCode>> = {
  account_failed: 'realtime.account_failed',
  write_failed: 'realtime.write_failed',
  start_failed: 'realtime.start_failed',
  stop_failed: 'realtime.stop_failed',
}

/**
 * What is read of the fields of a script that ran to its end. A refusal throws the code of its reason, what is no answer
 * `realtime.write_failed`; nothing that the machine printed goes further than that.
 */
export function answered<T>(
  { node }: Machine,
  { exitCode, stdout }: CommandResult,
  read: (answer: ReadonlyMap<string, Buffer>) => T,
): T {
  const details = { node: identityOf(node) }
  try {
    if (exitCode !== 0) throw new MalformedOutput('the script broke')
    const answer = fields(stdout)
    const reason = answer.get('refused')?.toString('utf8')
    if (reason === undefined) return read(answer)
    const code = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined
    if (code === undefined) throw new MalformedOutput('not a reason of these scripts')
    throw fail(code, { details })
  } catch (error) {
    if (!(error instanceof MalformedOutput)) throw error
    throw fail('realtime.write_failed', { details, cause: error })
  }
}

export const serverStateOf = (answer: ReadonlyMap<string, Buffer>): ServerState => ({
  configuration: textField(answer, 'configuration'),
  unit: textField(answer, 'unit'),
})

export const standingOf = (
  answer: ReadonlyMap<string, Buffer>,
): { readonly program: ExecutableState; readonly files: ServerState } => ({
  program: executableStateOf(answer),
  files: serverStateOf(answer),
})
