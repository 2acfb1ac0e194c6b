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

type Failed = Exclude<StepResult, { readonly outcome: 'succeeded' }>

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
      const said = `The step ${step.name} may fail, and ${ended(step, result)}\n`
      await run.journal.printing(async (onOutput) => onOutput('stderr', Buffer.from(said)))
      continue
    }
    if (exitCode !== null) run.call.note.exitCode(exitCode)
    throw fail(CODES[outcome], {
      message: `The step ${step.name} ${ended(step, result)}`,
      details: { step: step.name },
    })
  }
}

function ended(step: RunnableStep, { outcome, exitCode }: Failed): string {
  if (outcome === 'timeout') return `did not end within ${step.timeout_seconds} s.`
  const status = `ended with exit status ${exitCode}`
  return outcome === 'missing'
    ? `${status}: the Node lacks a program that it runs, or may not run it.`
    : `${status}.`
}
