import { type CodedError, type ErrorSpec, type FailureOptions, Fault, Refusal } from '@fleet/kernel'
import { activityErrors } from './activities/errors.ts'
import { agentErrors } from './agents/errors.ts'
import { certificateErrors } from './certificates/errors.ts'
import { clusterErrors } from './clusters/errors.ts'
import { databaseErrors } from './databases/errors.ts'
import { dependencyErrors } from './dependencies/errors.ts'
import { deploymentErrors } from './deployments/errors.ts'
import { dnsErrors } from './dns/errors.ts'
import { environmentErrors } from './environment/errors.ts'
import { firewallErrors } from './firewall/errors.ts'
import { gatewayErrors } from './gateway/errors.ts'
import { githubErrors } from './github/errors.ts'
import { hibernationErrors } from './hibernation/errors.ts'
import { cloneErrors } from './instances/clone-errors.ts'
import { copyErrors } from './instances/copy-errors.ts'
import { instanceErrors } from './instances/errors.ts'
import { sqliteErrors } from './instances/sqlite-errors.ts'
import { transferErrors } from './instances/transfer-errors.ts'
import { logErrors } from './logs/errors.ts'
import { processErrors } from './processes/errors.ts'
import { scheduleErrors } from './schedules/errors.ts'
import { networkErrors } from './network/errors.ts'
import { executableErrors } from './nodes/executable-errors.ts'
import { enrolmentErrors } from './nodes/enrolment-errors.ts'
import { nodeErrors } from './nodes/errors.ts'
import { nodeRemovalErrors } from './nodes/removal-errors.ts'
import { roleErrors } from './nodes/role-errors.ts'
import { phpErrors } from './php/errors.ts'
import { projectErrors } from './projects/errors.ts'
import { realtimeErrors } from './realtime/errors.ts'
import { routeErrors } from './routes/errors.ts'
import { sourceAccessErrors } from './source-access/errors.ts'
import { sourceHostErrors } from './source-host/errors.ts'
import { toolErrors } from './tools/errors.ts'
import { webServerErrors } from './web-server/errors.ts'

/** Every code the gateway can answer with. A code without a row does not compile. */
export const errorRegistry = {
  ...gatewayErrors,
  ...activityErrors,
  ...nodeErrors,
  ...enrolmentErrors,
  ...nodeRemovalErrors,
  ...executableErrors,
  ...roleErrors,
  ...agentErrors,
  ...clusterErrors,
  ...networkErrors,
  ...dnsErrors,
  ...certificateErrors,
  ...firewallErrors,
  ...sourceHostErrors,
  ...githubErrors,
  ...projectErrors,
  ...instanceErrors,
  ...cloneErrors,
  ...copyErrors,
  ...sqliteErrors,
  ...transferErrors,
  ...hibernationErrors,
  ...deploymentErrors,
  ...environmentErrors,
  ...databaseErrors,
  ...dependencyErrors,
  ...logErrors,
  ...processErrors,
  ...scheduleErrors,
  ...toolErrors,
  ...realtimeErrors,
  ...routeErrors,
  ...webServerErrors,
  ...phpErrors,
  ...sourceAccessErrors,
} as const satisfies Record<`${string}.${string}`, ErrorSpec>

export type ErrorCode = keyof typeof errorRegistry

/** Builds the error of a code: a Refusal below 500, a Fault from there on. Throw it by name: `throw fail('env.import_conflict')`. */
export function fail(code: ErrorCode, options: FailureOptions = {}): CodedError {
  const spec: ErrorSpec = errorRegistry[code]
  return spec.status < 500 ? new Refusal(code, spec, options) : new Fault(code, spec, options)
}

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorRegistry, code)

/** 422 `validation.failed` with the failed rules per member (GW-028). */
export const invalid = (errors: Readonly<Record<string, readonly string[]>>): CodedError =>
  fail('validation.failed', { details: { errors } })
