import { type InputOf, type ScheduleDefinitionData, scheduleDefinition } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { HandlersOf } from '#/handler.ts'
import {
  type Definition,
  type DefinitionParts,
  type DefinitionRecord,
  makeDefinitions,
  productionOf,
} from '#/projects/definitions.ts'
import { requireProject } from '#/projects/locks.ts'
import type { Projects } from '#/projects/record.ts'

type Verb = 'list' | 'create' | 'show' | 'update' | 'destroy'

/** Schedules that production Instances of a Project get (PRJ-077). */
export function makeScheduleDefinitions(
  parts: DefinitionParts,
): HandlersOf<`project:schedule-definition:${Verb}`> {
  const definitions = makeDefinitions(parts, 'schedule')
  return {
    'project:schedule-definition:list': async ({ input, found }) => {
      const project = found?.project ?? (await requireProject(parts.store, input.project))
      return { data: (await definitions.list(project.id)).map(withoutCommand) }
    },
    'project:schedule-definition:create': async ({ call, input }) => {
      call.note.property('definition', input.name)
      const { row, isNew } = await definitions.create(input.project, input.name, definitionOf(input))
      return { data: present(row), created: isNew }
    },
    'project:schedule-definition:show': async ({ input, found }) => ({
      data: present(found?.name ?? (await definitions.require(input.project, input.name))),
    }),
    'project:schedule-definition:update': async ({ call, input, found }) => {
      call.note.property('definition', input.name)
      const row = found?.name ?? (await definitions.require(input.project, input.name))
      return { data: present(await definitions.replace(row, definitionOf(input))) }
    },
    'project:schedule-definition:destroy': async ({ call, input, found }) => {
      call.note.property('definition', input.name)
      const row = found?.name ?? (await definitions.require(input.project, input.name))
      await definitions.remove(row)
      return { data: present(row) }
    },
  }
}

export const productionSchedules =
  (store: Store): Projects['productionSchedules'] =>
  async (projectId) =>
    (await productionOf(store, projectId, 'schedule')).map(({ row }) => {
      const { id, name, spec } = present(row)
      return { id, name, spec }
    })

const definitionOf = ({
  environments,
  spec,
}: Pick<InputOf<'project:schedule-definition:create'>, 'environments' | 'spec'>): Definition => ({
  environments,
  spec,
  variables: [],
})

const present = ({ id, name, environments, spec }: DefinitionRecord): ScheduleDefinitionData =>
  scheduleDefinition.parse({ id, name, environments, spec })

function withoutCommand(row: DefinitionRecord) {
  const { spec, ...rest } = present(row)
  const { command: _, ...shown } = spec
  return { ...rest, spec: shown }
}
