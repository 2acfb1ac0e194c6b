import * as z from 'zod'
import { stepName } from '../params.ts'

/** Lists of deploy steps, those of production Instances and those of Projects for development (DEPL-001, DEPL-003, DEPL-008). */
export const DEPLOY_STEP_LIMITS = {
  commandMaxBytes: 16 * 1024,
  timeoutMaxSeconds: 900,
  timeoutDefaultSeconds: 300,
  listMax: 32,
  listTotalSeconds: 3600,
} as const

export const deployStepPhases = ['before_activation', 'after_activation'] as const
export type DeployStepPhase = (typeof deployStepPhases)[number]

const seconds = z.int().min(1).max(DEPLOY_STEP_LIMITS.timeoutMaxSeconds)

/** A step of a production Instance (DEPL-004). Steps of a phase run in the order of the list. */
export const deploymentStep = z.strictObject({
  name: stepName,
  phase: z.enum(deployStepPhases),
  command: z.string(),
  timeout_seconds: seconds,
})
export type DeploymentStepData = z.output<typeof deploymentStep>

/** A step that a Project's development Instances run when they are deployed (DEPL-008). */
export const developmentDeployStep = z.strictObject({
  name: stepName,
  command: z.string(),
  timeout_seconds: seconds,
  /** False: the deployment succeeds although the step fails (DEPL-009). */
  required: z.boolean(),
  /** From 1, in the order of the run. */
  position: z.int().min(1),
})
export type DevelopmentDeployStepData = z.output<typeof developmentDeployStep>
