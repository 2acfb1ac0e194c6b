import { type ErrorCode, fail } from '@fleet/contract'
import { fields, MalformedOutput } from '@fleet/shell'
import type { CommandResult } from '@fleet/ssh'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'

/**
 * The fields of a script that ran to its end. A refusal throws the code of its reason; what is no answer throws
 * `dns.publication_failed`. Nothing that the machine printed goes further than that.
 */
export function answerOf(
  node: NodeRecord,
  result: CommandResult,
  reasons: Readonly<Record<string, ErrorCode>> = {},
): ReadonlyMap<string, Buffer> {
  const details = { node: identityOf(node) }
  try {
    if (result.exitCode !== 0) throw new MalformedOutput('the script broke')
    const answer = fields(result.stdout)
    const reason = answer.get('refused')?.toString('utf8')
    if (reason === undefined) return answer
    const code = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined
    if (code === undefined) throw new MalformedOutput('not a reason of this script')
    throw fail(code, { details })
  } catch (error) {
    if (!(error instanceof MalformedOutput)) throw error
    throw fail('dns.publication_failed', { details, cause: error })
  }
}
