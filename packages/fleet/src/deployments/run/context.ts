import type { DeploymentPhase } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import { type DeploymentRow, updateDeployment } from '#/deployments/queries.ts'
import type { DeploymentJournal } from '#/deployments/run/journal.ts'
import type { InstanceRecord } from '#/instances/api.ts'

/** One run in progress, under the lock of its Instance. */
export interface Run<I extends InstanceRecord = InstanceRecord> {
  readonly deps: DeploymentsDeps
  readonly call: Call
  readonly instance: I
  readonly row: DeploymentRow
  readonly journal: DeploymentJournal
}

/** What a run leaves selected, as far as it is known: null for none, undefined when only the Node knows. */
export type Selected = string | null | undefined

/** Where a run stands while it works, so that whoever ends it knows what is true. */
export interface Progress {
  phase: DeploymentPhase
  selected: Selected
}

/** The phases of one kind of run. They keep the progress true at each moment. */
export type Phases<I extends InstanceRecord = InstanceRecord> = (
  run: Run<I>,
  progress: Progress,
) => Promise<void>

/** A phase begins: its line is written, and what fails from now on failed in it. */
export async function begin(
  { journal }: Pick<Run, 'journal'>,
  progress: Progress,
  phase: DeploymentPhase,
  step: string | null = null,
): Promise<void> {
  progress.phase = phase
  await journal.phase(phase, step)
}

/** A line of the output. */
export const say = ({ journal }: Pick<Run, 'journal'>, line: string): Promise<void> =>
  journal.printing(async (onOutput) => onOutput('stdout', Buffer.from(`${line}\n`)))

export async function note(
  { deps, row }: Pick<Run, 'deps' | 'row'>,
  values: Partial<DeploymentRow>,
): Promise<void> {
  await updateDeployment(deps.store.db, row.id, values)
}
