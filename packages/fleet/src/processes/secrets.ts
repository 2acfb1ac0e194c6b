import { CodedError } from '@fleet/kernel'
import { openValues, valuesFor } from '#/processes/connections/values.ts'
import { openVariables } from '#/processes/containers/variables.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import type { ProcessRecord } from '#/processes/record.ts'

/** What the secrets of a Process are read from. */
type SecretSource = Pick<ProcessRecord, 'id' | 'variables' | 'connection_values' | 'runtime_config'>

/** Values by name that nothing which is read of a Process may show; a name may come twice. */
export type SecretsOf = (
  process: SecretSource,
) => Promise<ReadonlyArray<readonly [name: string, value: string]>>

/** Variables of its container, and what it has and is to have of its connections: it may run with either. */
export const secretsOf =
  (deps: Pick<ProcessesDeps, 'store' | 'connections'>): SecretsOf =>
  async (process) => {
    const { cipher } = deps.store
    const entries = [...openVariables(cipher, process), ...openValues(cipher, process).set]
    return [...entries, ...(await wantedOf(deps, process))].map((entry) => splitEntry(entry))
  }

async function wantedOf(
  deps: Pick<ProcessesDeps, 'store' | 'connections'>,
  process: SecretSource,
): Promise<readonly string[]> {
  try {
    return (await valuesFor(deps, process)).set
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
