export type * from '#/managed-services/declaration.ts'
export { failureCodes } from '#/managed-services/declaration.ts'
export {
  type Ensured,
  ensureService,
  type ServiceDeps,
  startService,
  stopService,
  removeService,
} from '#/managed-services/ensure.ts'
export {
  ensureExecutable,
  executableFor,
  type PlacedExecutable,
  settleExecutable,
} from '#/managed-services/executable/ensure.ts'
export type { NodeExecutable, NodeExecutables } from '#/managed-services/executable/release.ts'
export {
  EXECUTABLE_FUNCTIONS,
  EXECUTABLE_PLACE,
  type ExecutablePlace,
  executablePlaceIn,
} from '#/managed-services/executable/scripts.ts'
export { type ExecutableState, executableStateOf } from '#/managed-services/executable/state.ts'
export { admitMarked, MARKER, markerText } from '#/managed-services/marker.ts'
export { forUndoing, type ServiceContext, serviceStep } from '#/managed-services/step.ts'
export { manifestOf, sha256, UNIT_DIRECTORY } from '#/managed-services/plan.ts'
export {
  type FleetProcess,
  processPlaces,
  processService,
  type ProcessService,
  unitOf,
} from '#/managed-services/process.ts'
export { serviceQuestion, type ServiceSight } from '#/managed-services/question.ts'
export { troubleOf, unitDetailsOf } from '#/managed-services/trouble.ts'
export { readJournal } from '#/managed-services/read-journal.ts'
export { withOwnEnvironment } from '#/managed-services/own-environment.ts'
export { SYSTEM_PATH, unitWord, withoutGlobs, withoutSpecifiers } from '#/managed-services/unit-text.ts'
export { reportUnit, UNIT_REPORT } from '#/managed-services/scripts.ts'
