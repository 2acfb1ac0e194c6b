import * as z from 'zod'

const environment = z.enum(['development', 'production'])

/** PRJ-079 */
export const definitionEnvironments = z
  .array(environment)
  .min(1)
  .max(2)
  .refine((names) => new Set(names).size === names.length, 'must name each once')
  .describe('Where it is copied. Only `production` has an effect.')

/** What definitions of both kinds have; each kind adds its `spec` (PRJ-078). */
export const definition = z.strictObject({
  /** UUID. */
  id: z.string(),
  name: z.string(),
  environments: z.array(environment),
})

export const unknownDefinition = {
  project: 'project.not_found',
  name: 'project_definition.not_found',
} as const
