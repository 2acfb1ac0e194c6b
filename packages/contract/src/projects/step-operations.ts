import * as z from 'zod'
import { id, stepName } from '../params.ts'
import { lifecycleStep, STEP_LIMITS } from './records.ts'
import { stepMembersFor } from './step-members.ts'

const stepMembers = stepMembersFor(STEP_LIMITS)

const unknown = { project: 'project.not_found', step: 'lifecycle_step.not_found' } as const

const every = { group: 'Projects', access: 'projectNode', output: lifecycleStep } as const

/** What the operations on setup steps and those on teardown steps have in common; name, path and summary are their own. */
export const stepOperations = {
  list: {
    ...every,
    method: 'GET',
    input: z.strictObject({ project: id }),
    output: z.array(lifecycleStep),
    unknown: { project: unknown.project },
  },
  create: {
    ...every,
    method: 'POST',
    input: z.strictObject({
      project: id,
      name: stepName.describe('Name of the new step.'),
      ...stepMembers,
      command: stepMembers.command.unwrap().describe('Shell command.'),
    }),
    creates: true,
    description:
      'Runs as `bash -eu` in the checkout, as its user and without input. What it prints is discarded, so a step whose failure has to be explained writes it to a file outside the checkout: `COMMAND >"$HOME/NAME.log" 2>&1`.',
    errors: ['lifecycle_step.name_taken', 'lifecycle_step.not_found'],
    unknown: { project: unknown.project },
    positional: ['project', 'name', 'command'],
  },
  update: {
    ...every,
    method: 'PATCH',
    input: z.strictObject({ project: id, step: stepName.describe('Name of the step.'), ...stepMembers }),
    errors: ['lifecycle_step.not_found'],
    unknown,
  },
  destroy: {
    ...every,
    method: 'DELETE',
    input: z.strictObject({ project: id, step: stepName.describe('Name of the step.') }),
    unknown,
  },
} as const
