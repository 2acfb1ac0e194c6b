import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { inspectionErrors, updateErrorCodes } from './errors.ts'
import { dependencyInventory, ecosystems } from './records.ts'

/** `absent`: the project has none of the ecosystem. `not_run`: the update was refused, or an earlier step failed. */
export const updateStepStatuses = ['succeeded', 'absent', 'failed', 'not_run'] as const

export const updateStep = z.strictObject({
  ecosystem: z.enum(ecosystems),
  status: z.enum(updateStepStatuses),
  /** The package manager may have changed files, whatever became of it. Nothing is undone. */
  may_have_mutated: z.boolean(),
  error_code: z.enum(updateErrorCodes).nullable(),
})
export type UpdateStep = z.output<typeof updateStep>

export const dependencyUpdate = z.strictObject({
  instance_id: id,
  /** Every step and the final scan succeeded. */
  succeeded: z.boolean(),
  error_code: z.enum(updateErrorCodes).nullable(),
  may_have_mutated: z.boolean(),
  composer: updateStep,
  javascript: updateStep,
  /** What the final scan found; null when the update was refused. */
  inventory: dependencyInventory.nullable(),
})
export type DependencyUpdate = z.output<typeof dependencyUpdate>

export const dependenciesUpdate = operation({
  name: 'instance:dependencies:update',
  group: 'Dependencies',
  method: 'POST',
  path: '/instances/{instance}/dependencies/update',
  access: 'instanceNode',
  input: z.strictObject({ instance: id }),
  output: dependencyUpdate,
  errors: inspectionErrors,
  unknown: { instance: 'instance.not_found' },
  summary: 'Update the dependencies of a development Instance within their constraints',
  description:
    'Runs `composer update` and `vp update --no-save` on the Node, as its user, and scans the result. Declared constraints stay as they are; Vite+ may write the package manager into a `package.json` that declares none. Status 200 says that the request was handled; `succeeded` and the steps say how it ended. A failed step stops later ones and nothing is undone.',
})
