import { instanceDatabaseAdd } from './attachments/add.ts'
import { instanceDatabaseRemove } from './attachments/remove.ts'
import { databaseServerCreate } from './servers/create.ts'
import { databaseServerDestroy } from './servers/destroy.ts'
import { databaseServerList } from './servers/list.ts'
import { databaseServerShow } from './servers/show.ts'
import { databaseCreate } from './create.ts'
import { databaseDescribe } from './describe.ts'
import { databaseDestroy } from './destroy.ts'
import { databaseList } from './list.ts'
import { databaseQuery } from './query.ts'
import { databaseSchema } from './schema.ts'
import { databaseShow } from './show.ts'
import { databaseTables } from './tables.ts'
import { databaseUpdate } from './update.ts'
import { databaseUserCreate } from './user-create.ts'
import { databaseUserList } from './user-list.ts'

export * from './records.ts'
export const databaseOperations = {
  databaseList,
  databaseShow,
  databaseCreate,
  databaseUpdate,
  databaseDestroy,
  databaseUserList,
  databaseUserCreate,
  databaseQuery,
  databaseTables,
  databaseSchema,
  databaseDescribe,
  instanceDatabaseAdd,
  instanceDatabaseRemove,
  databaseServerList,
  databaseServerShow,
  databaseServerCreate,
  databaseServerDestroy,
}
