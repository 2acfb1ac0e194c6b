import {
  DEPLOY_STEP_LIMITS,
  type DevelopmentDeployStepData,
  type ErrorCode,
  type LifecycleStepData,
  STEP_LIMITS,
} from '@fleet/contract'
import type { ListLimits } from '#/projects/steps/order.ts'
import { presentDevDeployStep, presentStep } from '#/projects/present.ts'
import type { StepList, StepRecord } from '#/projects/record.ts'

/** One of the lists of a Project: its bounds, its refusals, and how a step of it is answered. */
export interface ListKind<T> {
  readonly list: StepList
  readonly limits: ListLimits & { readonly timeoutDefaultSeconds: number }
  readonly notFound: ErrorCode
  readonly nameTaken: ErrorCode
  readonly present: (step: StepRecord) => T
}

const lifecycle = (list: 'setup' | 'teardown'): ListKind<LifecycleStepData> => ({
  list,
  limits: STEP_LIMITS,
  notFound: 'lifecycle_step.not_found',
  nameTaken: 'lifecycle_step.name_taken',
  present: presentStep,
})

export const SETUP = lifecycle('setup')
export const TEARDOWN = lifecycle('teardown')
export const DEV_DEPLOY: ListKind<DevelopmentDeployStepData> = {
  list: 'dev-deploy',
  limits: DEPLOY_STEP_LIMITS,
  notFound: 'deploy_step.not_found',
  nameTaken: 'deploy_step.name_taken',
  present: presentDevDeployStep,
}
