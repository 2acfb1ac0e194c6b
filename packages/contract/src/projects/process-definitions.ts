import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import {
  hasNameTwice,
  isProgram,
  NAME_TWICE,
  NO_PROGRAM,
  processName,
  processRuntimes,
  processSpec,
  setTwice,
  shownVolumes,
} from '../processes/records.ts'
import {
  definition,
  definitionEnvironments as environments,
  unknownDefinition as unknown,
} from './definitions.ts'

/** What a definition makes of each copy; no owner, no start, no account (PRJ-080). */
const spec = z
  .strictObject({ ...processSpec, runtime: z.enum(processRuntimes) })
  .superRefine(({ runtime, command, ...given }, context) => {
    const refuse = (member: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [member], message })
    if (runtime === 'docker' && given.image === undefined)
      return refuse('image', 'is required for the runtime docker')
    if (hasNameTwice(given.environment ?? [])) refuse('environment', NAME_TWICE)
    for (const name of setTwice(given.environment, given.connections))
      refuse('environment', `names ${name}, which a connection sets`)
    if (runtime === 'docker') return
    for (const member of ['image', 'environment', 'ports', 'volumes'] as const)
      if (given[member] !== undefined) refuse(member, 'is only for the runtime docker')
    if (!isProgram(command[0] ?? '')) refuse('command', NO_PROGRAM)
  })
  .describe('What the Process runs, as in `fleet process:create`.')

const shownSpec = z.strictObject({
  runtime: z.enum(processRuntimes),
  command: z.array(z.string()),
  image: z.string().optional(),
  working_directory: z.string().optional(),
  /** `NAME=[REDACTED]`. */
  environment: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: shownVolumes.optional(),
  connections: processSpec.connections,
  restart_policy: processSpec.restart_policy,
  keep_alive: z.boolean().optional(),
})

/** A Process that production Instances of a Project get (PRJ-078 to PRJ-080). */
export const processDefinition = definition.extend({ spec: shownSpec })
export type ProcessDefinitionData = z.output<typeof processDefinition>

const every = { group: 'Projects', access: 'projectNode' } as const
const PATH = '/projects/{project}/process-definitions'
const named = z.strictObject({ project: id, name: processName.describe('Name of the definition.') })

export const projectProcessDefinitionList = operation({
  ...every,
  name: 'project:process-definition:list',
  method: 'GET',
  path: PATH,
  input: z.strictObject({ project: id }),
  // PRJ-082
  output: z.array(processDefinition.extend({ spec: shownSpec.omit({ command: true }) })),
  unknown: { project: unknown.project },
  summary: 'List the Process definitions of a Project by name, without their commands',
})

export const projectProcessDefinitionCreate = operation({
  ...every,
  name: 'project:process-definition:create',
  method: 'POST',
  path: PATH,
  input: named.extend({ environments, spec }),
  output: processDefinition,
  creates: true,
  errors: ['project_definition.name_taken'],
  unknown: { project: unknown.project },
  summary: 'Define a Process that production Instances of a Project get',
  description:
    'A definition alone starts nothing and changes no existing Process. Repeating the same request returns the stored definition.',
})

export const projectProcessDefinitionShow = operation({
  ...every,
  name: 'project:process-definition:show',
  method: 'GET',
  path: `${PATH}/{name}`,
  input: named,
  output: processDefinition,
  unknown,
  summary: 'Show a Process definition of a Project',
})

export const projectProcessDefinitionUpdate = operation({
  ...every,
  name: 'project:process-definition:update',
  method: 'PUT',
  path: `${PATH}/{name}`,
  input: named.extend({ environments, spec }),
  output: processDefinition,
  unknown,
  summary: 'Replace a Process definition of a Project',
  description: 'The whole definition is replaced, its variables included. Existing copies stay as they are.',
})

export const projectProcessDefinitionDestroy = operation({
  ...every,
  name: 'project:process-definition:destroy',
  method: 'DELETE',
  path: `${PATH}/{name}`,
  input: named,
  output: processDefinition,
  unknown,
  summary: 'Remove a Process definition of a Project',
  description: 'Existing copies stay as they are.',
})
