import { type ErrorCode, errorRegistry, type Operation } from '@fleet/contract'
import type { ErrorSpec } from '@fleet/kernel'

/** A registry that may hold codes of a sample catalogue beside the product's own. */
export type ErrorRegistry = Readonly<Record<string, ErrorSpec>>

/**
 * Every code an operation can answer with: those that its access, extension, path and input imply,
 * then those of its own guards. Codes of the HTTP layer itself (`http.*`) are left out: any request can meet them.
 */
export function errorCodes(operation: Operation): readonly ErrorCode[] {
  const implied: ErrorCode[] = [...identityCodes(operation)]
  if (operation.extension) implied.push('extension.disabled')
  const missing = Object.values<ErrorCode | undefined>(operation.unknown).filter((code) => code !== undefined)
  return [
    ...new Set([
      ...implied,
      ...missing,
      ...namedElsewhere(operation),
      ...(namesInstance(operation) ? (['env.target_ambiguous'] as const) : []),
      'validation.failed' as const,
      ...operation.errors,
    ]),
  ]
}

function identityCodes({ access }: Operation): readonly ErrorCode[] {
  if (access === 'public') return []
  if (access === 'agent')
    return ['peer.identity_unknown', 'agent.node_ineligible', 'agent.secret_required', 'agent.secret_invalid']
  return access === 'peer' || access === 'scheduleHost'
    ? ['peer.identity_unknown']
    : ['peer.identity_unknown', 'node_access.required']
}

/** By its id or a domain, and a domain can lead to several (ENV-008). */
const namesInstance = ({ path }: Operation): boolean => /\{(?:instance|candidate)\}/.test(path)

/** What a member outside the path names is looked up for the grant, before the operation runs. */
function namedElsewhere({ access }: Operation): readonly ErrorCode[] {
  if (access === 'queryNode') return ['node.not_found']
  if (access === 'bodyTarget') return ['node.not_found', 'instance.not_found']
  return NAMING_A_NODE.has(access) ? ['node.not_found'] : []
}

const NAMING_A_NODE: ReadonlySet<Operation['access']> = new Set([
  'bodyNode',
  'bodyRoute',
  'transferNodes',
  'cloneNodes',
])

/** Codes by status, statuses ascending, codes in the order of `errorCodes`. */
export function codesByStatus(
  operation: Operation,
  registry: ErrorRegistry = errorRegistry,
): ReadonlyMap<number, readonly ErrorCode[]> {
  const byStatus = Map.groupBy(errorCodes(operation), (code) => registry[code]?.status ?? 500)
  return new Map([...byStatus].toSorted(([a], [b]) => a - b))
}
