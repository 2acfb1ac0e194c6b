import type { Clock, Ids } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { type AttachmentParts, makeAdd } from '#/databases/attachments/add.ts'
import { makeAttachmentChecks } from '#/databases/attachments/checks.ts'
import { type FileUses, makeFileUses } from '#/databases/attachments/files.ts'
import { makeProcessConnections } from '#/databases/attachments/for-processes.ts'
import { makeRemove } from '#/databases/attachments/remove.ts'
import { makeDatabaseChecks } from '#/databases/checks.ts'
import { type CopyParts, makeCopyDatabases } from '#/databases/copies/for-copies.ts'
import { makeCreate } from '#/databases/create.ts'
import { makeCreationDatabases } from '#/databases/creations/for-creations.ts'
import { makeDestroy } from '#/databases/destroy.ts'
import { makeDescribe } from '#/databases/describe.ts'
import { makeList } from '#/databases/list.ts'
import { type DatabaseLocators, makeDatabaseLocators } from '#/databases/locators.ts'
import { makeDatabaseResidueChecks, makeDatabasesArtifact } from '#/databases/owned/artifact.ts'
import { type InstanceDatabases, makeInstanceDatabases } from '#/databases/owned/for-instances.ts'
import { makeMoveFiles } from '#/databases/owned/move-files.ts'
import { makeTestDatabases } from '#/databases/owned/test-database.ts'
import { makeQuery } from '#/databases/query.ts'
import { makeSchema } from '#/databases/schema.ts'
import { makeServerCreate } from '#/databases/servers/create.ts'
import { makeServerDestroy } from '#/databases/servers/destroy.ts'
import { makeServerList } from '#/databases/servers/list.ts'
import { makeServerLocators, type ServerLocators } from '#/databases/servers/locators.ts'
import type { Containers } from '#/databases/servers/ports.ts'
import { serverOfProcess, serversOn } from '#/databases/servers/queries.ts'
import { makeServerShow } from '#/databases/servers/show.ts'
import { makeShow } from '#/databases/show.ts'
import { makeTables } from '#/databases/tables.ts'
import type { TargetParts } from '#/databases/target.ts'
import { makeUpdate } from '#/databases/update.ts'
import { makeUserCreate } from '#/databases/user-create.ts'
import { makeUserList } from '#/databases/user-list.ts'
import type { HandlersOf } from '#/handler.ts'
import type { Environment, TestDatabases } from '#/environment/api.ts'
import type { CreationDatabases, InstanceCopies, Instances } from '#/instances/api.ts'
import type { FamilyChecks, NodeArtifact, Nodes } from '#/nodes/api.ts'
import type { ConnectionDependents, ProcessConnections } from '#/processes/api.ts'

export interface DatabasesParts extends TargetParts, AttachmentParts {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly nodes: Nodes
  readonly instances: Instances
  readonly environment: Environment
  readonly containers: Containers
  readonly dependents: ConnectionDependents
  readonly routes: CopyParts['routes']
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
}

/** Registered databases: where each is, how to log in, and what it holds. */
export const makeDatabases = (parts: DatabasesParts): DatabasesDomain => ({
  locators: { ...makeDatabaseLocators(parts.store), ...makeServerLocators(parts.store) },
  checks: makeDatabaseChecks(parts.store, parts.nodes),
  attachmentChecks: makeAttachmentChecks(parts),
  residueChecks: makeDatabaseResidueChecks(parts),
  artifact: makeDatabasesArtifact(parts),
  forInstances: makeInstanceDatabases(parts),
  testDatabases: makeTestDatabases(parts.store),
  forCreation: makeCreationDatabases(parts),
  forCopies: makeCopyDatabases(parts),
  moveFiles: makeMoveFiles(parts),
  forProcesses: makeProcessConnections(parts.store),
  files: makeFileUses(parts.store),
  serverOf: async (processId) => (await serverOfProcess(parts.store.db, processId))?.slug,
  countServersOn: async (nodeId) => (await serversOn(parts.store.db, nodeId)).length,
  handlers: {
    'database:list': makeList(parts.store),
    'database:show': makeShow(parts.store),
    'database:create': makeCreate(parts),
    'database:update': makeUpdate(parts),
    'database:destroy': makeDestroy(parts),
    'database:user:list': makeUserList(parts.store),
    'database:user:create': makeUserCreate(parts),
    'database:query': makeQuery(parts),
    'database:tables': makeTables(parts),
    'database:schema': makeSchema(parts),
    'database:describe': makeDescribe(parts),
    'database:server:list': makeServerList(parts.store),
    'database:server:show': makeServerShow(parts.store),
    'database:server:create': makeServerCreate(parts),
    'database:server:destroy': makeServerDestroy(parts),
    'instance:database:add': makeAdd(parts),
    'instance:database:remove': makeRemove(parts),
  },
})
