import { instanceCreate } from './create.ts'
import * as deploySteps from './deploy-steps.ts'
import { instanceDestroy } from './destroy.ts'
import { instanceList } from './list.ts'
import { instanceRegister } from './register.ts'
import { instanceRename } from './rename.ts'
import { instanceResolveDirectory } from './resolve-directory.ts'
import { instanceResolve } from './resolve.ts'
import { instanceSetup } from './setup.ts'
import { instanceShow } from './show.ts'
import { instanceUpdate } from './update.ts'

export * from './records.ts'
export type { RegistrationData } from './register.ts'
export const instanceOperations = {
  instanceList,
  instanceShow,
  instanceCreate,
  instanceResolve,
  instanceResolveDirectory,
  instanceSetup,
  instanceRegister,
  instanceRename,
  instanceUpdate,
  ...deploySteps,
  instanceDestroy,
}
