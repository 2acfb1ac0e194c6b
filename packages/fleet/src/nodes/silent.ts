import { type NodeIdentity, nodeIdentity } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'

const SILENT: ReadonlySet<string> = new Set([
  'node.unreachable',
  'node.connection_lost',
  'node.authentication_failed',
  'node.ssh_host_key_changed',
  'node.ssh_host_key_missing',
])

/** The code of an error that means that the Node does not answer; undefined for any other. */
export function silentCode(error: unknown): string | undefined {
  if (!(error instanceof CodedError)) return undefined
  const inner = error.details?.['stage'] === 'connect' ? error.details['error_code'] : error.code
  return typeof inner === 'string' && SILENT.has(inner) ? inner : undefined
}

/** The Node that such an error names. */
export const silentNode = (error: unknown): NodeIdentity | undefined =>
  error instanceof CodedError ? nodeIdentity.safeParse(error.details?.['node']).data : undefined
