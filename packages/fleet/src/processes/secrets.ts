import { openVariables } from '#/processes/containers/variables.ts'
import type { ProcessesParts } from '#/processes/parts.ts'
import { findRow } from '#/processes/queries.ts'

/** Stored variables of the container of a Process by name, which nothing that is read of it may show. */
export const secretsOf =
  ({ store }: Pick<ProcessesParts, 'store'>) =>
  async (id: number): Promise<ReadonlyMap<string, string>> => {
    const row = await findRow(store.db, id)
    const variables = row ? openVariables(store.cipher, row) : []
    return new Map(variables.map((entry) => splitEntry(entry)))
  }

function splitEntry(entry: string): readonly [name: string, value: string] {
  const at = entry.indexOf('=')
  return [entry.slice(0, at), entry.slice(at + 1)]
}
