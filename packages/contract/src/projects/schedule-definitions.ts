import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { scheduleRules, scheduleSpec } from '../schedules/records.ts'
import {
  definition,
  definitionEnvironments as environments,
  unknownDefinition as unknown,
} from './definitions.ts'

const { name, calendar, command, timeout_seconds } = scheduleRules

/** What each copy runs and when; every member is required (PRJ-081). The parser of the host checks the calendar at the copy. */
const spec = z
  .strictObject({
    calendar: scheduleSpec.calendar.refine(calendar, 'must be one line of at most 255 printable bytes'),
    command: scheduleSpec.command.refine(command, 'must be one line of at most 4,096 bytes'),
    timeout_seconds: scheduleSpec.timeout_seconds.refine(timeout_seconds, 'must be 1 to 86,400'),
  })
  .describe(
    'What the Schedule runs and when, as in `fleet schedule:create`; here `timeout_seconds` has no default and is required too.',
  )

const shownSpec = z.strictObject({
  calendar: z.string(),
  command: z.string(),
  timeout_seconds: z.int(),
})

/** A Schedule that production Instances of a Project get (PRJ-078, PRJ-079, PRJ-081). */
export const scheduleDefinition = definition.extend({ spec: shownSpec })
export type ScheduleDefinitionData = z.output<typeof scheduleDefinition>

const every = { group: 'Projects', access: 'projectNode' } as const
const PATH = '/projects/{project}/schedule-definitions'
const named = z.strictObject({
  project: id,
  name: z
    .string()
    .refine(name, 'must be 1 to 63 lowercase letters, digits or single inner hyphens')
    .describe('Name of the definition.'),
})

export const projectScheduleDefinitionList = operation({
  ...every,
  name: 'project:schedule-definition:list',
  method: 'GET',
  path: PATH,
  input: z.strictObject({ project: id }),
  // PRJ-082
  output: z.array(scheduleDefinition.extend({ spec: shownSpec.omit({ command: true }) })),
  unknown: { project: unknown.project },
  summary: 'List the Schedule definitions of a Project by name, without their commands',
})

export const projectScheduleDefinitionCreate = operation({
  ...every,
  name: 'project:schedule-definition:create',
  method: 'POST',
  path: PATH,
  input: named.extend({ environments, spec }),
  output: scheduleDefinition,
  creates: true,
  errors: ['project_definition.name_taken'],
  unknown: { project: unknown.project },
  summary: 'Define a Schedule that production Instances of a Project get',
  description:
    'A definition alone starts nothing and changes no existing Schedule. Repeating the same request returns the stored definition.',
})

export const projectScheduleDefinitionShow = operation({
  ...every,
  name: 'project:schedule-definition:show',
  method: 'GET',
  path: `${PATH}/{name}`,
  input: named,
  output: scheduleDefinition,
  unknown,
  summary: 'Show a Schedule definition of a Project',
})

export const projectScheduleDefinitionUpdate = operation({
  ...every,
  name: 'project:schedule-definition:update',
  method: 'PUT',
  path: `${PATH}/{name}`,
  input: named.extend({ environments, spec }),
  output: scheduleDefinition,
  unknown,
  summary: 'Replace a Schedule definition of a Project',
  description: 'The whole definition is replaced. Existing copies stay as they are.',
})

export const projectScheduleDefinitionDestroy = operation({
  ...every,
  name: 'project:schedule-definition:destroy',
  method: 'DELETE',
  path: `${PATH}/{name}`,
  input: named,
  output: scheduleDefinition,
  unknown,
  summary: 'Remove a Schedule definition of a Project',
  description: 'Existing copies stay as they are.',
})
