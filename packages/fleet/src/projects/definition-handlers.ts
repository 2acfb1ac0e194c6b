import type { Call } from '#/call.ts'
import type { HandlerRequest, Outcome } from '#/handler.ts'
import {
  type Definition,
  type DefinitionDeps,
  type DefinitionRecord,
  makeDefinitions,
} from '#/projects/definitions.ts'
import { requireProject } from '#/projects/locks.ts'
import type { DefinitionKind } from '#/projects/queries.ts'

interface Named {
  readonly project: number
  readonly name: string
}

/** What one kind takes and answers. */
interface Shape<Given extends Named, Data extends { readonly spec: { readonly command?: unknown } }> {
  readonly kind: DefinitionKind
  definitionOf(given: Given): Definition
  present(row: DefinitionRecord): Data
}

/** The five operations on definitions of one kind: both kinds have the same. */
export function definitionHandlers<
  Given extends Named,
  Data extends { readonly spec: { readonly command?: unknown } },
>(deps: DefinitionDeps, { kind, definitionOf, present }: Shape<Given, Data>) {
  const definitions = makeDefinitions(deps, kind)
  type Request<Input> = HandlerRequest<Input, { readonly name: DefinitionRecord }>
  const rowOf = async ({ input, found }: Request<Named>): Promise<DefinitionRecord> =>
    found?.name ?? (await definitions.require(input.project, input.name))
  const noteName = ({ note }: Call, { name }: Named): void => note.property('definition', name)
  return {
    list: async ({
      input,
      found,
    }: HandlerRequest<Pick<Named, 'project'>, { readonly project: { readonly id: number } }>) => {
      const project = found?.project ?? (await requireProject(deps.store, input.project))
      return { data: (await definitions.list(project.id)).map((row) => withoutCommand(present(row))) }
    },
    create: async ({ call, input }: HandlerRequest<Given>): Promise<Outcome<Data>> => {
      noteName(call, input)
      const { row, isNew } = await definitions.create(input.project, input.name, definitionOf(input))
      return { data: present(row), created: isNew }
    },
    show: async (request: Request<Named>): Promise<Outcome<Data>> => ({
      data: present(await rowOf(request)),
    }),
    update: async (request: Request<Given>): Promise<Outcome<Data>> => {
      noteName(request.call, request.input)
      return { data: present(await definitions.replace(await rowOf(request), definitionOf(request.input))) }
    },
    destroy: async (request: Request<Named>): Promise<Outcome<Data>> => {
      noteName(request.call, request.input)
      const row = await rowOf(request)
      await definitions.remove(row)
      return { data: present(row) }
    },
  }
}

function withoutCommand<Data extends { readonly spec: { readonly command?: unknown } }>(data: Data) {
  const { command: _, ...spec }: { readonly command?: unknown } = data.spec
  return { ...data, spec }
}
