import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { identityOf, type NodeSession } from '#/nodes/api.ts'
import { findPhp, type FoundPhp } from '#/php/commands/find-php.ts'
import type { PhpDeps } from '#/php/deps.ts'
import type { PhpSource, PhpVersion } from '#/php/php.ts'
import { choosePhp } from '#/php/version.ts'
import { refreshPackages } from '#/tools/api.ts'

export async function versionFor(
  deps: Pick<PhpDeps, 'store'>,
  session: NodeSession,
  source: PhpSource,
): Promise<PhpVersion> {
  const { manifest, available } = await find(deps, session, source)
  const choice = choosePhp(manifest, available, source.recorded)
  if ('version' in choice) return choice.version
  throw fail(choice.code, { details: { node: identityOf(session.node), ...choice.details } })
}

/** The package lists of a new machine are often empty: then they are fetched once. */
async function find(
  deps: Pick<PhpDeps, 'store'>,
  session: NodeSession,
  source: PhpSource,
): Promise<FoundPhp> {
  const found = await session.ask(findPhp, source)
  if (found.manifest === undefined || found.available.length > 0) return found
  try {
    await refreshPackages(deps, session)
  } catch (error) {
    throw asUnavailable(error, session)
  }
  return session.ask(findPhp, source)
}

/** A source that does not answer, or lacks the packages, has a code of its own; the code of the package manager stays in the details. */
export function asUnavailable(error: unknown, { node }: Pick<NodeSession, 'node'>): unknown {
  if (!(error instanceof CodedError) || !SOURCE_CODES.has(error.code)) return error
  return fail('app-dev.php_package_source_unavailable', {
    details: { node: identityOf(node), error_code: error.code },
    cause: error,
  })
}

const SOURCE_CODES: ReadonlySet<string> = new Set([
  'node_role.packages_unavailable',
  'node_role.package_failed',
])
