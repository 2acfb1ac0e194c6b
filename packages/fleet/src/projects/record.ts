import type { InputOf, ScheduleDefinitionData } from '@fleet/contract'
import type { Row } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { SourceLogin } from '#/source-host/api.ts'

export type ProjectRecord = Row<'projects'>

export type StepList = StepRecord['list']

/** The lists whose commands run around an Instance. */
export type LifecycleList = Exclude<StepList, 'dev-deploy'>

export type LifecycleCommand = Omit<StepRecord, 'list' | 'required'>

export type StepRecord = Row<'project_steps'>

interface ProductionDefinition<Spec> {
  /** UUID of the definition. */
  readonly id: string
  readonly name: string
  readonly spec: Spec
}

/** As `process:create` takes it, with the values of its variables. */
export type ProductionProcess = ProductionDefinition<InputOf<'project:process-definition:create'>['spec']>
export type ProductionSchedule = ProductionDefinition<ScheduleDefinitionData['spec']>

/** What decides with what a repository is read; `id` is undefined for a Project that does not exist yet. */
export type LoginSource = Pick<ProjectRecord, 'repository_url' | 'source_access'> & {
  readonly id: number | undefined
}

/** What other domains may ask about Projects. */
export interface Projects {
  find(id: number): Promise<ProjectRecord | undefined>
  /** The Project of a repository (PRJ-035). */
  findByIdentity(identity: string): Promise<ProjectRecord | undefined>
  /**
   * What Git reads the repository with, on the gateway and on Nodes. Throws `github.cli_unauthenticated`, `github.unavailable` and
   * `git.host_unreachable`.
   */
  login(call: Call, project: LoginSource): Promise<SourceLogin>
  /** Whether the repository has the branch; undefined where the gateway cannot read it now. Throws what `login` does. */
  hasBranch(call: Call, project: LoginSource, branch: string): Promise<boolean | undefined>
  /** All Projects by slug. */
  list(): Promise<ProjectRecord[]>
  /** The current list, in the order of the run (PRJ-064). */
  steps(projectId: number, list: StepList): Promise<StepRecord[]>
  /** What production Instances of the Project get, by name (PRJ-084). */
  productionProcesses(projectId: number): Promise<readonly ProductionProcess[]>
  productionSchedules(projectId: number): Promise<readonly ProductionSchedule[]>
  /** Throws `project.update_in_progress` while an update of the Project has not finished. */
  requireSettled(projectId: number): Promise<void>
  /** Ids of the Nodes that run an Instance of the Project, each once. */
  nodeIdsOf(projectId: number): Promise<readonly number[]>
  /**
   * Holds the Project so that destroy and instance creation exclude each other; waits up to 5 s, then throws `project.lifecycle_busy`.
   * Throws `project.update_in_progress` while an update has not finished.
   */
  withLock<T>(call: Call, projectId: number, work: () => Promise<T>): Promise<T>
}
