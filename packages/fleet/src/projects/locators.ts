import type { Store } from '@fleet/store'
import type { FoundRecords, LocatorsOf } from '#/handler.ts'
import { byPathId } from '#/path-id.ts'
import type { DefinitionRecord } from '#/projects/definitions.ts'
import { findDefinition, findProject, listSteps } from '#/projects/queries.ts'
import type { ProjectRecord, StepList, StepRecord } from '#/projects/record.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{project}': ProjectRecord
    readonly 'setup-steps/{step}': StepRecord
    readonly 'teardown-steps/{step}': StepRecord
    readonly 'dev-deploy-steps/{step}': StepRecord
    readonly 'process-definitions/{name}': DefinitionRecord
  }
}

export type ProjectLocators = LocatorsOf<
  | '{project}'
  | 'setup-steps/{step}'
  | 'teardown-steps/{step}'
  | 'dev-deploy-steps/{step}'
  | 'process-definitions/{name}'
>

export function makeProjectLocators({ db }: Store): ProjectLocators {
  const inList =
    (list: StepList) =>
    async (text: string, { project }: FoundRecords): Promise<StepRecord | undefined> =>
      project && (await listSteps(db, project.id, list)).find(({ name }) => name === text)
  return {
    '{project}': byPathId((id) => findProject(db, id)),
    'setup-steps/{step}': inList('setup'),
    'teardown-steps/{step}': inList('teardown'),
    'dev-deploy-steps/{step}': inList('dev-deploy'),
    'process-definitions/{name}': async (name, { project }) =>
      project && (await findDefinition(db, { projectId: project.id, kind: 'process', name })),
  }
}
