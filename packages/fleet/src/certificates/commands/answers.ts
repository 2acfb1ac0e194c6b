import { type ErrorCode, fail } from '@fleet/contract'
import { fields, MalformedOutput } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import { identityOf, type Machine } from '#/nodes/api.ts'

const REASONS: Readonly<Record<string, ErrorCode>> = {
  store_missing: 'certificate.store_missing',
  trust_failed: 'certificate.trust_failed',
  write_failed: 'certificate.publication_failed',
  owner_missing: 'certificate.owner_missing',
  reload_failed: 'certificate.reload_failed',
}

/** The fields of a script that ran to its end. A refusal throws its code; what is no answer throws `broken`. */
export function answerOf(
  { node }: Machine,
  { exitCode, stdout }: CommandResult,
  broken: ErrorCode,
): ReadonlyMap<string, Buffer> {
  const details = { node: identityOf(node) }
  try {
    if (exitCode !== 0) throw new MalformedOutput('the script broke')
    const answer = fields(stdout)
    const reason = answer.get('refused')?.toString('utf8')
    if (reason === undefined) return answer
    throw fail(Object.hasOwn(REASONS, reason) ? (REASONS[reason] ?? broken) : broken, { details })
  } catch (error) {
    throw error instanceof MalformedOutput ? fail(broken, { details, cause: error }) : error
  }
}
