import { CodedError } from '@fleet/kernel'
import { openValues, valuesFor } from '#/processes/connections/values.ts'
import { openVariables } from '#/processes/containers/variables.ts'
import type { ProcessesParts } from '#/processes/parts.ts'
import type { ProcessRecord } from '#/processes/record.ts'

/** What the secrets of a Process are read from. */
type SecretSource = Pick<ProcessRecord, 'id' | 'variables' | 'connection_values' | 'runtime_config'>

/** Values by name that nothing which is read of a Process may show; a name may come twice. */
export type SecretsOf = (
  process: SecretSource,
) => Promise<ReadonlyArray<readonly [name: string, value: string]>>

/** Variables of its container, and what it has and is to have of its connections: it may run with either. */
export const secretsOf =
  (parts: Pick<ProcessesParts, 'store' | 'connections'>): SecretsOf =>
  async (process) => {
    const { cipher } = parts.store
    const entries = [...openVariables(cipher, process), ...openValues(cipher, process).set]
    return [...entries, ...(await wantedOf(parts, process))].map((entry) => splitEntry(entry))
  }

async function wantedOf(
  parts: Pick<ProcessesParts, 'store' | 'connections'>,
  process: SecretSource,
): Promise<readonly string[]> {
  try {
    return (await valuesFor(parts, process)).set
  } catch (error) {
    // No Process can have been given what cannot be read.
    if (error instanceof CodedError) return []
    throw error
  }
}

function splitEntry(entry: string): readonly [name: string, value: string] {
  const at = entry.indexOf('=')
  return [entry.slice(0, at), entry.slice(at + 1)]
}
