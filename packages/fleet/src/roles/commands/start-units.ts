import { fail, type UnitReport } from '@fleet/contract'
import { ROOT_FILES, textFile } from '@fleet/shell'
import { troubleOf, UNIT_REPORT } from '#/managed-services/api.ts'
import { identityOf, type NodeScript, type NodeSession } from '#/nodes/api.ts'

/**
 * Enables and starts what is not running. One round trip. Throws `node_role.service_failed` with the unit, its state and its
 * last lines, and the codes of NodeSession.
 */
export async function ensureUnits(session: NodeSession, units: readonly string[]): Promise<void> {
  const failed = await session.ask(startUnits, units)
  if (failed === 'running') return
  throw fail('node_role.service_failed', { details: { node: identityOf(session.node), ...failed } })
}

/** Defines `wanted NAME`. */
export const WANTED_UNITS: string = textFile('wanted-units.sh', import.meta.url)

/** A star in a name matches a version. */
export const startUnits: NodeScript<readonly string[], 'running' | UnitReport | undefined> = {
  source: [
    '# start services',
    ROOT_FILES,
    UNIT_REPORT,
    WANTED_UNITS,
    textFile('start-units.sh', import.meta.url),
  ].join('\n'),
  args: (units) => units,
  timeoutSeconds: 180,
  reasons: {},
  broken: 'node_role.service_failed',
  read: (answer) =>
    answer.word('outcome', ['running', 'failed']) === 'running' ? 'running' : troubleOf(answer),
}
