import { type InputOf, type ProcessDefinitionData, processDefinition } from '@fleet/contract'
import { REDACTED } from '@fleet/kernel'
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

/** Processes that production Instances of a Project get (PRJ-076). */
export function makeProcessDefinitions(
  parts: DefinitionParts,
): HandlersOf<`project:process-definition:${Verb}`> {
  const definitions = makeDefinitions(parts, 'process')
  return {
    'project:process-definition:list': async ({ input, found }) => {
      const project = found?.project ?? (await requireProject(parts.store, input.project))
      return { data: (await definitions.list(project.id)).map(withoutCommand) }
    },
    'project:process-definition:create': async ({ call, input }) => {
      call.note.property('definition', input.name)
      const { row, isNew } = await definitions.create(input.project, input.name, definitionOf(input))
      return { data: present(row), created: isNew }
    },
    'project:process-definition:show': async ({ input, found }) => ({
      data: present(found?.name ?? (await definitions.require(input.project, input.name))),
    }),
    'project:process-definition:update': async ({ call, input, found }) => {
      call.note.property('definition', input.name)
      const row = found?.name ?? (await definitions.require(input.project, input.name))
      return { data: present(await definitions.replace(row, definitionOf(input))) }
    },
    'project:process-definition:destroy': async ({ call, input, found }) => {
      call.note.property('definition', input.name)
      const row = found?.name ?? (await definitions.require(input.project, input.name))
      await definitions.remove(row)
      return { data: present(row) }
    },
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
}: Pick<InputOf<'project:process-definition:create'>, 'environments' | 'spec'>): Definition {
  const variables = environment?.toSorted() ?? []
  const shown = environment && { environment: variables.map(redacted) }
  return { environments, spec: { ...spec, ...shown }, variables }
}

const redacted = (entry: string): string => `${entry.slice(0, entry.indexOf('='))}=${REDACTED}`

const present = ({ id, name, environments, spec }: DefinitionRecord): ProcessDefinitionData =>
  processDefinition.parse({ id, name, environments, spec })

function withoutCommand(row: DefinitionRecord) {
  const { spec, ...rest } = present(row)
  const { command: _, ...shown } = spec
  return { ...rest, spec: shown }
}
