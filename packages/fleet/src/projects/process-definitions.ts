import { type InputOf, type ProcessDefinitionData, processDefinition } from '@fleet/contract'
import { REDACTED } from '@fleet/kernel'
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

/** Processes that production Instances of a Project get (PRJ-076). */
export function makeProcessDefinitions(
  deps: DefinitionDeps,
): HandlersOf<`project:process-definition:${Verb}`> {
  const { list, create, show, update, destroy } = definitionHandlers(deps, {
    kind: 'process',
    definitionOf,
    present,
  })
  return {
    'project:process-definition:list': list,
    'project:process-definition:create': create,
    'project:process-definition:show': show,
    'project:process-definition:update': update,
    'project:process-definition:destroy': destroy,
  }
}

/** As a creation takes them, with the values of their variables. */
export const productionProcesses =
  (store: Store): Projects['productionProcesses'] =>
  async (projectId) =>
    (await productionOf(store, projectId, 'process')).map(({ row, variables }) => {
      const { id, name, spec } = present(row)
      return { id, name, spec: { ...spec, ...(spec.environment && { environment: [...variables] }) } }
    })

function definitionOf({
  environments,
  spec: { environment, ...spec },
}: InputOf<'project:process-definition:create'>): Definition {
  const variables = environment?.toSorted() ?? []
  const shown = environment && { environment: variables.map(redacted) }
  return { environments, spec: { ...spec, ...shown }, variables }
}

const redacted = (entry: string): string => `${entry.slice(0, entry.indexOf('='))}=${REDACTED}`

const present = ({ id, name, environments, spec }: DefinitionRecord): ProcessDefinitionData =>
  processDefinition.parse({ id, name, environments, spec })
