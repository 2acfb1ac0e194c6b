export type { Exclusions, Sessions, NodeRegistry, Nodes } from '#/nodes/nodes.ts'
export type { NodeRunOptions } from '#/nodes/session/session.ts'
export type { CallerRecord, NodeEntry, NodeRecord } from '#/nodes/record.ts'
export {
  type ArtifactParts,
  artifactParts,
  type ArtifactResult,
  type NodeArtifact,
  skippedBy,
} from './artifact.ts'
export type { RoleStep } from './role-step.ts'
export { makeNodes, type NodesDeps, type NodesDomain } from './make.ts'
export { readPrinted } from './checks/read-printed.ts'
export * from './checks/types.ts'
export { lifecycleCheck, unlessHeld } from './checks/unless-held.ts'
export { checkAppsRoot } from './commands/apps-root.ts'
export type { RoleHolder, RoleHolders } from './assignments/holders.ts'
export { holdingRoles, roleLockName } from './assignments/locks.ts'
export * from './assignments/queries.ts'
export * from './assignments/settings.ts'
export { findCallerAccounts, putCallerAccounts } from './callers/queries.ts'
export { grantEnrolled } from './grants/enrolment.ts'
export { addGrant } from './grants/queries.ts'
export { holdingNode, nodeNameHold, requireNode } from './locks.ts'
export { type NodeWork, onNode, type OnNodeDeps } from './on-node.ts'
export {
  deleteNode,
  findNamesake,
  findNode,
  findNodeByAddress,
  findNodeByName,
  insertNode,
  listNodes,
  listPinned,
  listRoles,
  updateNode,
} from './queries.ts'
export type * from './ports.ts'
export { publishNode } from './publish-node.ts'
export { fullOf, sayingFull } from './session/full.ts'
export { makeSessions, tunnelTarget } from './sessions.ts'
export { CONTROL_GROUP } from './session/control-group.ts'
export { makeSession, type NodeSession, noteExit } from './session/session.ts'
export {
  type AskOptions,
  commandOf,
  confirmed,
  type NodeScript,
  type ReasonCode,
  type MoreOfRefusal,
  type Reasons,
} from './session/script.ts'
export { nodeAnswers } from './answers.ts'
export { sessionUnlessOffline, silentAmong } from './offline.ts'
export { silentCode, silentNode } from './silent.ts'
export { nodeChecks } from './checks/node.ts'
export {
  appsPathRefusal,
  appsRoot,
  isEmbedded,
  isWritable,
  protectedFrom,
  readAppsPath,
  UNWRITABLE,
} from './rules.ts'
export { accessRequired, requireAccess } from './require-access.ts'
export { requireOwnMachine } from './own-machine.ts'
export { identityOf, nodeDetail, presentNode, presentRole } from './present.ts'
export type { NodeUpdates } from './updates.ts'
