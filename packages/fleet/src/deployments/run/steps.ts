import { type DeploymentPhase, fail } from '@fleet/contract'
import { begin, type Progress, type Run } from '#/deployments/run/context.ts'
import type { StepFailure, StepResult } from '#/instances/api.ts'
import type { OutputListener } from '@fleet/ssh'

export interface RunnableStep {
  readonly name: string
  readonly command: string
  readonly timeout_seconds: number
  /** False: the run continues when it fails (DEPL-009). */
  readonly required?: boolean
}

export interface StepRequest {
  readonly command: string
  readonly limitSeconds: number
  readonly onOutput: OutputListener
}

const CODES = {
  failed: 'deployment.step_failed',
  timeout: 'deployment.step_timeout',
  missing: 'deployment.step_unavailable',
} as const satisfies Record<StepFailure, string>

/**
 * Runs the steps of a phase in order and stops at the first that fails and must not. Its error names the step alone (DEPL-006). Only
 * the step that ends the run leaves its exit code in the Activity (ACT-015).
 */
export async function runSteps(
  run: Run,
  progress: Progress,
  { phase, steps }: { readonly phase: DeploymentPhase; readonly steps: readonly RunnableStep[] },
  execute: (request: StepRequest) => Promise<StepResult>,
): Promise<void> {
  for (const step of steps) {
    await begin(run, progress, phase, step.name)
    const result = await run.journal.printing((onOutput) =>
      execute({ command: step.command, limitSeconds: step.timeout_seconds, onOutput }),
    )
    if (result.outcome === 'succeeded') continue
    const { outcome, exitCode } = result
    if (step.required === false) {
      run.call.log('a step that may fail failed', { step: step.name, outcome })
      continue
    }
    if (exitCode !== null) run.call.note.exitCode(exitCode)
    throw fail(CODES[outcome], {
      ...(outcome === 'failed' && exitCode !== null
        ? { message: `The step ${step.name} ended with exit status ${exitCode}.` }
        : {}),
      details: { step: step.name },
    })
  }
}
