import * as z from 'zod'
import { operation } from '../operation.ts'
import { MAX_DOMAIN_CHARACTERS } from '../routes/records.ts'
import { instance } from './records.ts'

export const instanceResolve = operation({
  name: 'instance:resolve',
  group: 'Instances',
  method: 'GET',
  path: '/instances/resolve',
  access: 'peer',
  input: z.strictObject({
    domain: z.string().min(1).max(MAX_DOMAIN_CHARACTERS).describe('Exact domain of a Route.'),
  }),
  output: instance,
  errors: ['instance.not_found', 'env.target_ambiguous'],
  summary: 'Find the Instance that a domain leads to',
  positional: ['domain'],
})
