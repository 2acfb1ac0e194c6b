export { type GitReason, gitReason, unreadableMessage } from './git-reason.ts'
export type {
  LifecycleCommand,
  LifecycleList,
  LoginSource,
  ProductionProcess,
  ProductionSchedule,
  ProjectRecord,
  Projects,
  StepList,
  StepRecord,
} from '#/projects/record.ts'
export { makeProjectChecks } from './checks.ts'
export { makeProjects, type ProjectsDomain, type ProjectsDeps } from './make.ts'
export { presentProject } from './present.ts'
export {
  type InstancePlacements,
  type RemoteGit,
  RemoteUnreadable,
  type SourceChange,
  type SourceChanges,
  type TypedInstance,
} from './ports.ts'
export { holdingProject, lockUnchanged } from './locks.ts'
export { storeProject } from './store-project.ts'
export { beginUpdate, type ProjectUpdateRow, writeUpdate } from './update-records.ts'
export { requireHostKey } from './remote.ts'
export { makeRemoteGit } from './remote-git.ts'
export { isBranchName, repositoryIdentity, rootProblem } from './source-rules.ts'
export { isPlaced, type Place, placed, requireChange, requireListFits, requirePlace } from './steps/order.ts'
