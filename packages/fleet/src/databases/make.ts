import type { Clock, Ids } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { type AttachmentDeps, makeAdd } from '#/databases/attachments/add.ts'
import { makeAttachmentChecks } from '#/databases/attachments/checks.ts'
import { type FileUses, makeFileUses } from '#/databases/attachments/files.ts'
import { makeProcessConnections } from '#/databases/attachments/for-processes.ts'
import { makeRemove } from '#/databases/attachments/remove.ts'
import { makeDatabaseChecks } from '#/databases/checks.ts'
import { type CopyDeps, makeCopyDatabases } from '#/databases/copies/for-copies.ts'
import { makeCreate } from '#/databases/create.ts'
import { makeCreationDatabases } from '#/databases/creations/for-creations.ts'
import { makeDestroy } from '#/databases/destroy.ts'
import { makeDescribe } from '#/databases/describe.ts'
import { makeList } from '#/databases/list.ts'
import { type DatabaseLocators, makeDatabaseLocators } from '#/databases/locators.ts'
import { makeDatabaseResidueChecks, makeDatabasesArtifact } from '#/databases/owned/artifact.ts'
import { type InstanceDatabases, makeInstanceDatabases } from '#/databases/owned/for-instances.ts'
import { makeOwnedDatabases } from '#/databases/owned/for-removals.ts'
import { makeMoveFiles } from '#/databases/owned/move-files.ts'
import { makeTestDatabases } from '#/databases/owned/test-database.ts'
import { makeQuery } from '#/databases/query.ts'
import { makeSchema } from '#/databases/schema.ts'
import { makeServerCreate } from '#/databases/servers/create.ts'
import { makeServerDestroy } from '#/databases/servers/destroy.ts'
import { makeServerList } from '#/databases/servers/list.ts'
import { makeServerLocators, type ServerLocators } from '#/databases/servers/locators.ts'
import type { Containers } from '#/databases/servers/ports.ts'
import { portsOn, serverOfProcess, serversOn } from '#/databases/servers/queries.ts'
import { makeServerShow } from '#/databases/servers/show.ts'
import { makeShow } from '#/databases/show.ts'
import { makeTables } from '#/databases/tables.ts'
import type { TargetDeps } from '#/databases/target.ts'
import { makeUpdate } from '#/databases/update.ts'
import { makeUserCreate } from '#/databases/user-create.ts'
import { makeUserList } from '#/databases/user-list.ts'
import type { HandlersOf } from '#/handler.ts'
import type { Environment, TestDatabases } from '#/environment/api.ts'
import type { CreationDatabases, InstanceCopies, Instances, OwnedDatabases } from '#/instances/api.ts'
import type { FamilyChecks, NodeArtifact, Nodes } from '#/nodes/api.ts'
import type { ConnectionDependents, ProcessConnections } from '#/processes/api.ts'

export interface DatabasesDeps extends TargetDeps, AttachmentDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly nodes: Nodes
  readonly instances: Instances
  readonly environment: Environment
  readonly containers: Containers
  readonly dependents: ConnectionDependents
  readonly routes: CopyDeps['routes']
}

export type DatabaseHandlers = HandlersOf<
  | `database:${'list' | 'show' | 'create' | 'update' | 'destroy'}`
  | `database:${'query' | 'tables' | 'schema' | 'describe'}`
  | `database:user:${'list' | 'create'}`
  | `database:server:${'list' | 'show' | 'create' | 'destroy'}`
  | `instance:database:${'add' | 'remove'}`
>

export interface DatabasesDomain {
  readonly handlers: DatabaseHandlers
  readonly locators: DatabaseLocators & ServerLocators
  readonly checks: FamilyChecks
  readonly attachmentChecks: FamilyChecks
  readonly residueChecks: FamilyChecks
  readonly artifact: NodeArtifact
  /** What the removal of an Instance does with its databases. */
  readonly forInstances: InstanceDatabases
  /** What is asked before and after that. */
  readonly forRemovals: OwnedDatabases
  readonly testDatabases: TestDatabases
  /** What the creation of an Instance does with databases. */
  readonly forCreation: CreationDatabases
  /** What a copy of an Instance does with databases. */
  readonly forCopies: Omit<InstanceCopies, 'isCold'>
  /** In the transaction that moves a checkout: records of SQLite files in it follow. */
  readonly moveFiles: ReturnType<typeof makeMoveFiles>
  /** What Processes that depend on a connection get of it. */
  readonly forProcesses: ProcessConnections
  /** Which Instances have a SQLite file as a database. */
  readonly files: FileUses
  /** Servers that a Node runs. */
  countServersOn(nodeId: number): Promise<number>
  /** Slug of the server whose Process it is. */
  serverOf(processId: number): Promise<string | undefined>
  /** Ports that servers of a Node have; nobody gives one to another server until the transaction ends. */
  portsOn: typeof portsOn
}

/** Registered databases: where each is, how to log in, and what it holds. */
export const makeDatabases = (deps: DatabasesDeps): DatabasesDomain => ({
  locators: { ...makeDatabaseLocators(deps.store), ...makeServerLocators(deps.store) },
  checks: makeDatabaseChecks(deps.store, deps.nodes),
  attachmentChecks: makeAttachmentChecks(deps),
  residueChecks: makeDatabaseResidueChecks(deps),
  artifact: makeDatabasesArtifact(deps),
  forInstances: makeInstanceDatabases(deps),
  forRemovals: makeOwnedDatabases(deps),
  testDatabases: makeTestDatabases(deps.store),
  forCreation: makeCreationDatabases(deps),
  forCopies: makeCopyDatabases(deps),
  moveFiles: makeMoveFiles(deps),
  forProcesses: makeProcessConnections(deps.store),
  files: makeFileUses(deps.store),
  serverOf: async (processId) => (await serverOfProcess(deps.store.db, processId))?.slug,
  portsOn,
  countServersOn: async (nodeId) => (await serversOn(deps.store.db, nodeId)).length,
  handlers: {
    'database:list': makeList(deps.store),
    'database:show': makeShow(deps.store),
    'database:create': makeCreate(deps),
    'database:update': makeUpdate(deps),
    'database:destroy': makeDestroy(deps),
    'database:user:list': makeUserList(deps.store),
    'database:user:create': makeUserCreate(deps),
    'database:query': makeQuery(deps),
    'database:tables': makeTables(deps),
    'database:schema': makeSchema(deps),
    'database:describe': makeDescribe(deps),
    'database:server:list': makeServerList(deps.store),
    'database:server:show': makeServerShow(deps.store),
    'database:server:create': makeServerCreate(deps),
    'database:server:destroy': makeServerDestroy(deps),
    'instance:database:add': makeAdd(deps),
    'instance:database:remove': makeRemove(deps),
  },
})
