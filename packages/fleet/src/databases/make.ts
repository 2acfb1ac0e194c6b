import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { type AttachmentParts, makeAdd } from '#/databases/attachments/add.ts'
import { makeAttachmentChecks } from '#/databases/attachments/checks.ts'
import { makeRemove } from '#/databases/attachments/remove.ts'
import { makeDatabaseChecks } from '#/databases/checks.ts'
import { makeCreate } from '#/databases/create.ts'
import { makeDestroy } from '#/databases/destroy.ts'
import { makeDescribe } from '#/databases/describe.ts'
import { makeList } from '#/databases/list.ts'
import { type DatabaseLocators, makeDatabaseLocators } from '#/databases/locators.ts'
import { makeQuery } from '#/databases/query.ts'
import { makeSchema } from '#/databases/schema.ts'
import { makeShow } from '#/databases/show.ts'
import { makeTables } from '#/databases/tables.ts'
import type { TargetParts } from '#/databases/target.ts'
import { makeUpdate } from '#/databases/update.ts'
import { makeUserCreate } from '#/databases/user-create.ts'
import { makeUserList } from '#/databases/user-list.ts'
import type { HandlersOf } from '#/handler.ts'
import type { FamilyChecks, Nodes } from '#/nodes/api.ts'

export interface DatabasesParts extends TargetParts, AttachmentParts {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Nodes
}

export type DatabaseHandlers = HandlersOf<
  | `database:${'list' | 'show' | 'create' | 'update' | 'destroy'}`
  | `database:${'query' | 'tables' | 'schema' | 'describe'}`
  | `database:user:${'list' | 'create'}`
  | `instance:database:${'add' | 'remove'}`
>

export interface DatabasesDomain {
  readonly handlers: DatabaseHandlers
  readonly locators: DatabaseLocators
  readonly checks: FamilyChecks
  readonly attachmentChecks: FamilyChecks
}

/** Registered databases: where each is, how to log in, and what it holds. */
export const makeDatabases = (parts: DatabasesParts): DatabasesDomain => ({
  locators: makeDatabaseLocators(parts.store),
  checks: makeDatabaseChecks(parts.store, parts.nodes),
  attachmentChecks: makeAttachmentChecks(parts),
  handlers: {
    'database:list': makeList(parts.store),
    'database:show': makeShow(parts.store),
    'database:create': makeCreate(parts),
    'database:update': makeUpdate(parts),
    'database:destroy': makeDestroy(parts.store),
    'database:user:list': makeUserList(parts.store),
    'database:user:create': makeUserCreate(parts.store),
    'database:query': makeQuery(parts),
    'database:tables': makeTables(parts),
    'database:schema': makeSchema(parts),
    'database:describe': makeDescribe(parts),
    'instance:database:add': makeAdd(parts),
    'instance:database:remove': makeRemove(parts),
  },
})
