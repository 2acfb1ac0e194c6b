import { openVariables } from '#/processes/containers/variables.ts'
import type { ProcessesParts } from '#/processes/parts.ts'
import type { ProcessRecord } from '#/processes/record.ts'

/** Values by name that nothing which is read of a Process may show. */
export type SecretsOf = (process: Pick<ProcessRecord, 'id' | 'variables'>) => ReadonlyMap<string, string>

/** Stored variables of the container of a Process; none for a unit. */
export const secretsOf =
  ({ store }: Pick<ProcessesParts, 'store'>): SecretsOf =>
  (process) =>
    new Map(openVariables(store.cipher, process).map((entry) => splitEntry(entry)))

function splitEntry(entry: string): readonly [name: string, value: string] {
  const at = entry.indexOf('=')
  return [entry.slice(0, at), entry.slice(at + 1)]
}
