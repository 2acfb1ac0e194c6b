export { type InstancesDomain, type InstancesOptions, makeInstances, makePlacements } from './make.ts'
export type { CheckoutPaths } from './placements.ts'
export { copyDatabaseFile } from './copies/copy-database-file.ts'
export type { InstanceCopies } from './copies/ports.ts'
export type { CreationDatabases, HowToMove, InstanceRoutes, OwnedDatabases, PlannedRoute } from './ports.ts'
export { applicationDirectory, DEFAULT_NAME, effectiveRoot, finishRemoval } from './rules.ts'
export {
  findOwner,
  holdingOwner,
  ownerColumns,
  type OwnerDeps,
  ownersOf,
  type RuntimeOwner,
} from './owners.ts'
export { applicationPathOf, environmentPathOf } from './places.ts'
export { type PlacedInstance, requireSameNode } from './locks.ts'
export { environmentLinesOf } from './unit-environment.ts'
export {
  homePaths,
  INITIAL_RELEASE,
  isProduction,
  type ProductionInstance,
  RELEASES,
} from './production/home.ts'
export type { StepEnd } from './steps/run-commands.ts'
export type { Framework, InstanceCommand, InstanceRecord, Instances, SourceProfile } from './record.ts'
export {
  type Discarding,
  type FoundReleases,
  Releases,
  runPrinting,
  type StepFailure,
  type StepResult,
} from './releases/releases.ts'
export { carrySqlite } from './sqlite/carry.ts'
export { sqliteProblemText } from './sqlite/problem-text.ts'
export { type Blocked, blockedText } from './commands/checking-out.ts'
export { storageRefused } from './steps/creation.ts'
export {
  branchMissing,
  directoryProblem,
  gitMissing,
  isOfOtherCheckout,
  lfsRefused,
} from './steps/directory-problem.ts'
export type { CheckoutSession } from './checkout-session.ts'
export { type DirtyCheckout, type UpdatedCheckout, updateCheckout } from './releases/update-checkout.ts'
export { branchTip } from './releases/branch-tip.ts'
export type {
  CheckoutAt,
  InstanceDefinitions,
  InstanceMoves,
  InstancePlaces,
  InstanceRuntime,
} from './ports.ts'
export { makeProductionHomes, type ProductionHomes } from './production/homes.ts'
export type { ProjectCheckout, ProjectCheckouts } from './sources/checkouts.ts'
export type { Following } from './sources/inspect.ts'
export {
  isOpen as isTransferOpen,
  requireNoTransfer,
  requirePlaced,
  transferCommand,
  type TransferRequest,
} from './transfer/record.ts'
