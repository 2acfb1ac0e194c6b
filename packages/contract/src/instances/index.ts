import { instanceClone } from './clone.ts'
import { instanceCreate } from './create.ts'
import { instanceDeploy } from './deploy.ts'
import * as deploySteps from './deploy-steps.ts'
import { instanceDeployments } from './deployments.ts'
import { instanceDestroy } from './destroy.ts'
import { instanceList } from './list.ts'
import { instanceReleasesList } from './releases.ts'
import { instanceRegister } from './register.ts'
import { instanceRename } from './rename.ts'
import { instanceResolveDirectory } from './resolve-directory.ts'
import { instanceResolve } from './resolve.ts'
import { instanceRollback } from './rollback.ts'
import { instanceSetup } from './setup.ts'
import { instanceShow } from './show.ts'
import { instanceTransfer } from './transfer.ts'
import { instanceUpdate } from './update.ts'

export * from './records.ts'
export type { RegistrationData } from './register.ts'
export type { ResolvedInstance } from './resolve.ts'
export const instanceOperations = {
  instanceList,
  instanceShow,
  instanceCreate,
  instanceClone,
  instanceTransfer,
  instanceResolve,
  instanceResolveDirectory,
  instanceSetup,
  instanceRegister,
  instanceRename,
  instanceUpdate,
  ...deploySteps,
  instanceDeploy,
  instanceRollback,
  instanceReleasesList,
  instanceDeployments,
  instanceDestroy,
}
