import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { isServerSilent } from '#/databases/servers/silent.ts'
import { codeOf } from '#/error-details.ts'
import { type NodeRecord, nodeDetail, silentCode } from '#/nodes/api.ts'

/**
 * `database.node_unreachable` for an error of a Node that does not answer, and the same code for that of a server, each of which names
 * the way to give up what is there.
 */
export function unreachableOr(error: unknown, node: NodeRecord | undefined): unknown {
  if (isServerSilent(error))
    return fail(codeOf(error), {
      message: `${error.message} Repeat when it does, or run the same command with \`--offline\`, which leaves what is on the server.`,
      details: { ...error.details },
      cause: error.cause ?? error,
    })
  const code = silentCode(error) ?? codeOfProcess(error)
  if (code === undefined || !node) return error
  return fail('database.node_unreachable', {
    message: `The Node ${node.name} does not answer. Repeat when it does, or run the same command with \`--offline\`, which leaves what is on the Node until it is back.`,
    details: { ...nodeDetail(node), error_code: code },
    cause: error,
  })
}

/** The container of a server is a Process, whose own removal such a Process refuses. */
const codeOfProcess = (error: unknown): unknown =>
  error instanceof CodedError && error.code === 'process.node_unreachable'
    ? error.details?.['error_code']
    : undefined
