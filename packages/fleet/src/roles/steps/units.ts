import { fail } from '@fleet/contract'
import { type Command, programOf, ROOT_FILES, script, textFile } from '@fleet/shell'
import { identityOf, type Machine } from '#/nodes/api.ts'

const START_SECONDS = 180

/** Enables and starts what is not running. One round trip. Throws `node_role.service_failed` and the codes of Machine. */
export async function ensureUnits(machine: Machine, units: readonly string[]): Promise<void> {
  const { exitCode, stdout } = await machine.asRoot(startUnits(units), { timeoutSeconds: START_SECONDS })
  if (exitCode === 0 && stdout.toString('utf8').trim() === 'running') return
  throw fail('node_role.service_failed', { details: { node: identityOf(machine.node) } })
}

/** Prints `running` at the end. A star in a name stands for a version, and one unit at least must have the name. */
export const startUnits = (units: readonly string[]): Command => script(SOURCE, ...units)

const SOURCE = programOf(textFile('units.sh', import.meta.url), ROOT_FILES)
