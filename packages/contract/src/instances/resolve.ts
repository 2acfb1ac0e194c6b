import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { MAX_DOMAIN_CHARACTERS } from '../routes/records.ts'

/** Bytes of a whole answer that names an Instance (DEX-030). */
export const MAX_RESOLVED_BYTES = 4096

/** Which Instance was found, and where. */
export const resolvedInstance = z.strictObject({
  instance_id: id,
  project_id: id,
  node_id: id,
  environment: z.enum(['development', 'production']),
})
export type ResolvedInstance = z.output<typeof resolvedInstance>

/** Why a domain or a directory names no Instance (DEX-012). */
export const resolveErrors = [
  'dependencies.target_not_found',
  'dependencies.target_ambiguous',
  'dependencies.instance_unavailable',
] as const

export const instanceResolve = operation({
  name: 'instance:resolve',
  group: 'Instances',
  method: 'GET',
  path: '/instances/resolve',
  access: 'peer',
  input: z.strictObject({
    domain: z.string().min(1).max(MAX_DOMAIN_CHARACTERS).describe('Exact domain of a Route.'),
  }),
  output: z.strictObject({ domain: z.string().max(MAX_DOMAIN_CHARACTERS), ...resolvedInstance.shape }),
  errors: resolveErrors,
  maxAnswerBytes: MAX_RESOLVED_BYTES,
  summary: 'Find the Instance that a domain leads to',
  positional: ['domain'],
})
