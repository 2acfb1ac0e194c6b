export { makeProcesses, type ProcessesDomain } from '#/processes/make.ts'
export type { ConnectionDependents } from '#/processes/connections/dependents.ts'
export { followLater } from '#/processes/connections/moved-kind.ts'
export { followDomainLater } from '#/processes/moved-domain.ts'
export { escapeUnitValue } from '#/processes/connections/file.ts'
export { fitsEnvironment } from '#/processes/connections/values.ts'
export type { ProcessConnections } from '#/processes/ports.ts'
export type { ProcessesDeps } from '#/processes/deps.ts'
export type { ProcessRecord } from '#/processes/record.ts'
export { sleepersOn } from '#/processes/queries.ts'
export { SITE_FOLLOWS } from '#/processes/sleep/follow-site.ts'
export { RETURN_DEPENDENCIES, WAKE, wakeWhereCold } from '#/processes/sleep/mark-started.ts'
export {
  markersOf,
  markInstance,
  type Marking,
  type Markers,
  readMarkers,
} from '#/processes/sleep/markers.ts'
export type { SleepingProcesses } from '#/processes/sleep/sleep.ts'
export { ALONE } from '#/processes/commands/containers.ts'
export type { OnceVariables } from '#/processes/containers/container.ts'
export type { ServerContainers, ServerRequest } from '#/processes/servers.ts'
