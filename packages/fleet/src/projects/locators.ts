import type { Store } from '@fleet/store'
import type { FoundRecords, LocatorsOf } from '#/handler.ts'
import { byPathId } from '#/path-id.ts'
import type { DefinitionRecord } from '#/projects/definitions.ts'
import { type DefinitionKind, findDefinition, findProject, listSteps } from '#/projects/queries.ts'
import type { ProjectRecord, StepList, StepRecord } from '#/projects/record.ts'

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{project}': ProjectRecord
    readonly 'setup-steps/{step}': StepRecord
    readonly 'teardown-steps/{step}': StepRecord
    readonly 'dev-deploy-steps/{step}': StepRecord
    readonly 'process-definitions/{name}': DefinitionRecord
    readonly 'schedule-definitions/{name}': DefinitionRecord
  }
}

export type ProjectLocators = LocatorsOf<
  '{project}' | `${'setup' | 'teardown' | 'dev-deploy'}-steps/{step}` | `${DefinitionKind}-definitions/{name}`
>

export function makeProjectLocators({ db }: Store): ProjectLocators {
  const inList =
    (list: StepList) =>
    async (text: string, { project }: FoundRecords): Promise<StepRecord | undefined> =>
      project && (await listSteps(db, project.id, list)).find(({ name }) => name === text)
  const ofKind =
    (kind: DefinitionKind) =>
    async (name: string, { project }: FoundRecords): Promise<DefinitionRecord | undefined> =>
      project && (await findDefinition(db, { projectId: project.id, kind, name }))
  return {
    '{project}': byPathId((id) => findProject(db, id)),
    'setup-steps/{step}': inList('setup'),
    'teardown-steps/{step}': inList('teardown'),
    'dev-deploy-steps/{step}': inList('dev-deploy'),
    'process-definitions/{name}': ofKind('process'),
    'schedule-definitions/{name}': ofKind('schedule'),
  }
}
