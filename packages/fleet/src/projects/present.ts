import type { ProjectRecord, StepRecord } from '#/projects/record.ts'
import type {
  DevelopmentDeployStepData,
  LifecycleStepData,
  ProjectData,
  ProjectDetailData,
} from '@fleet/contract'
import type { ProjectUpdateRow } from '#/projects/update-records.ts'

/** The only way of a Project out. */
export const presentProject = (project: ProjectRecord): ProjectData => ({
  id: project.id,
  slug: project.slug,
  name: project.name,
  code: project.code,
  type: project.type,
  repository_url: project.repository_url,
  source_access: project.source_access,
  default_branch: project.default_branch,
  root: project.root,
  defaults: project.defaults,
  task_check: project.task_check,
  task_workspace_routed: project.task_workspace_routed === 1,
  task_compute: project.task_compute,
  review_and_merge: project.review_and_merge === 1,
  merge_check: project.merge_check,
})

/** An update that has not finished. */
export const presentUpdate = ({
  state,
  requested,
  failed_step,
  error_code,
  started_at,
}: ProjectUpdateRow): NonNullable<ProjectDetailData['open_update']> => ({
  state,
  request: { ...requested },
  failed_step,
  error_code,
  started_at,
})

export const presentStep = ({ name, command, timeout_seconds, position }: StepRecord): LifecycleStepData => ({
  name,
  command,
  timeout_seconds,
  position,
})

export const presentDevDeployStep = (step: StepRecord): DevelopmentDeployStepData => ({
  ...presentStep(step),
  required: step.required === 1,
})
