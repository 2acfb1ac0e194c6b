import { Secret } from '@fleet/kernel'
import { textFile } from '@fleet/shell'
import { type CheckoutPlace, checkoutScript } from '#/instances/commands/checkout-script.ts'

export interface DeployStepRun extends CheckoutPlace {
  readonly command: string
  readonly limitSeconds: number
}

/** Exit statuses with a meaning of their own: no signal and no well-known program ends with them. */
export const STEP_TIMEOUT = 240
export const STEP_DIRECTORY = 241
export const STEP_BUSY = 242

/**
 * Runs one deploy step: `bash -eu` in the root of the release, no input, its process group killed when it ends or its time is
 * over, with every process that left the group. One that also cleared its environment ends with the control group that the step
 * is sent in. Its output is the step's own, so it is run and not asked. The command text travels on standard input.
 */
export const runDeployStep = checkoutScript<DeployStepRun, void>(
  textFile('run-deploy-step.sh', import.meta.url),
  [],
  {
    // Scripts print nothing on standard error; a step does.
    first: 'exec 4>&2',
    isLong: true,
    args: ({ limitSeconds }) => [limitSeconds],
    stdin: ({ command }) => new Secret(command),
    read: () => undefined,
  },
)
