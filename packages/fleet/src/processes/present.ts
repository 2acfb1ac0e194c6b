import { connectionText, type ProcessData } from '@fleet/contract'
import { REDACTED } from '@fleet/kernel'
import type { Observation } from '#/processes/observe.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { commandOf } from '#/processes/rules.ts'
import { workingDirectoryOf } from '#/processes/unit.ts'

/** The record with what was observed of it: the only way out of the domain. */
export const presentProcess = (
  process: ProcessRecord,
  { status, cpu, memoryBytes }: Observation = UNOBSERVED,
): ProcessData => ({
  id: process.id,
  target_type: process.owner.type,
  target_id: process.owner.id,
  name: process.name,
  runtime: process.runtime,
  working_directory: workingDirectoryOf(process),
  runtime_config: presentConfig(process),
  restart_policy: process.restart_policy,
  keep_alive: process.keep_alive === 1,
  user: process.account,
  desired_state: process.desired_state,
  status: process.status,
  runtime_status: status ?? null,
  failed_step: process.failed_step,
  error_code: process.error_code,
  cpu,
  memory_bytes: memoryBytes,
})

/** Values of variables are never shown (PROC-003). */
function presentConfig({ runtime_config, owner }: ProcessRecord): ProcessData['runtime_config'] {
  const { connections, container } = runtime_config
  const { image, ports = [], volumes = [], variables = [] } = container ?? {}
  return {
    command: [...commandOf(runtime_config, owner)],
    preset: runtime_config.preset,
    image: image ?? null,
    environment: variables.map((name) => `${name}=${REDACTED}`),
    ports: [...ports],
    volumes: [...volumes],
    ...(connections && { connections: connections.map(connectionText) }),
  }
}

const UNOBSERVED: Observation = { status: undefined, cpu: null, memoryBytes: null }
