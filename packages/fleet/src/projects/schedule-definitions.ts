import { type InputOf, type ScheduleDefinitionData, scheduleDefinition } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { HandlersOf } from '#/handler.ts'
import { definitionHandlers } from '#/projects/definition-handlers.ts'
import {
  type Definition,
  type DefinitionDeps,
  type DefinitionRecord,
  productionOf,
} from '#/projects/definitions.ts'
import type { Projects } from '#/projects/record.ts'

type Verb = 'list' | 'create' | 'show' | 'update' | 'destroy'

/** Schedules that production Instances of a Project get (PRJ-077). */
export function makeScheduleDefinitions(
  deps: DefinitionDeps,
): HandlersOf<`project:schedule-definition:${Verb}`> {
  const { list, create, show, update, destroy } = definitionHandlers(deps, {
    kind: 'schedule',
    definitionOf,
    present,
  })
  return {
    'project:schedule-definition:list': list,
    'project:schedule-definition:create': create,
    'project:schedule-definition:show': show,
    'project:schedule-definition:update': update,
    'project:schedule-definition:destroy': destroy,
  }
}

export const productionSchedules =
  (store: Store): Projects['productionSchedules'] =>
  async (projectId) =>
    (await productionOf(store, projectId, 'schedule')).map(({ row }) => {
      const { id, name, spec } = present(row)
      return { id, name, spec }
    })

const definitionOf = ({ environments, spec }: InputOf<'project:schedule-definition:create'>): Definition => ({
  environments,
  spec,
  variables: [],
})

const present = ({ id, name, environments, spec }: DefinitionRecord): ScheduleDefinitionData =>
  scheduleDefinition.parse({ id, name, environments, spec })
