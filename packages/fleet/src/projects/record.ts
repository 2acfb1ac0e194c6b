import type { Row } from '@fleet/store'
import type { Call } from '#/call.ts'

export type ProjectRecord = Row<'projects'>

export type StepList = StepRecord['list']

/** The lists whose commands run around an Instance. */
export type LifecycleList = Exclude<StepList, 'dev-deploy'>

export type LifecycleCommand = Omit<StepRecord, 'list' | 'required'>

export type StepRecord = Row<'project_steps'>

/** What other domains may ask about Projects. */
export interface Projects {
  find(id: number): Promise<ProjectRecord | undefined>
  /** All Projects by slug. */
  list(): Promise<ProjectRecord[]>
  /** The current list, in the order of the run (PRJ-064). */
  steps(projectId: number, list: StepList): Promise<StepRecord[]>
  /** Ids of the Nodes that run an Instance of the Project, each once. */
  nodeIdsOf(projectId: number): Promise<readonly number[]>
  /** Holds the Project so that destroy and instance creation exclude each other; waits up to 5 s, then throws `project.lifecycle_busy`. */
  withLock<T>(call: Call, projectId: number, work: () => Promise<T>): Promise<T>
}
