import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { identityOf, type NodeSession } from '#/nodes/api.ts'
import { findPhp, type FoundPhp } from '#/php/commands/find-php.ts'
import type { PhpDeps } from '#/php/deps.ts'
import type { PhpSource, PhpVersion, SourceOn } from '#/php/php.ts'
import { choosePhp, choosePhpThere, type PhpChoice } from '#/php/version.ts'
import { refreshPackages } from '#/tools/api.ts'

export async function versionFor(
  deps: Pick<PhpDeps, 'store'>,
  session: NodeSession,
  source: PhpSource,
): Promise<PhpVersion> {
  const found = await session.ask(findPhp, source)
  const available = found.manifest === undefined ? [] : await offered(deps, session, found)
  return chosen(session, choosePhp(found.manifest, available, source.recorded))
}

export async function versionThere(
  deps: Pick<PhpDeps, 'store'>,
  destination: NodeSession,
  { session, ...source }: SourceOn,
): Promise<PhpVersion> {
  const { manifest } = await session.ask(findPhp, source)
  if (manifest === undefined) return chosen(session, choosePhp(manifest, [], source.recorded))
  const available = await offered(deps, destination, await destination.ask(findPhp, NO_SOURCE))
  return chosen(destination, choosePhpThere(manifest, available, source.recorded))
}

/** Only what the package manager has is asked for. */
const NO_SOURCE: PhpSource = { checkoutPath: '', directory: '' }

function chosen({ node }: NodeSession, choice: PhpChoice): PhpVersion {
  if ('version' in choice) return choice.version
  throw fail(choice.code, { details: { node: identityOf(node), ...choice.details } })
}

/** The package lists of a new machine are often empty: then they are fetched once. */
async function offered(
  deps: Pick<PhpDeps, 'store'>,
  session: NodeSession,
  { available }: FoundPhp,
): Promise<FoundPhp['available']> {
  if (available.length > 0) return available
  try {
    await refreshPackages(deps, session)
  } catch (error) {
    throw asUnavailable(error, session)
  }
  return (await session.ask(findPhp, NO_SOURCE)).available
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
