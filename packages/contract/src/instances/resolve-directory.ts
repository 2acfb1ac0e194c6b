import * as z from 'zod'
import { operation } from '../operation.ts'
import { MAX_RESOLVED_BYTES, resolvedInstance, resolveErrors } from './resolve.ts'

export const instanceResolveDirectory = operation({
  name: 'instance:resolve-directory',
  group: 'Instances',
  method: 'GET',
  path: '/instances/resolve-directory',
  access: 'peer',
  input: z.strictObject({
    directory: z
      .string()
      .min(1)
      .max(4096)
      .describe('Absolute path of a checkout or of a directory inside one, without symbolic links and `..`.'),
  }),
  output: resolvedInstance,
  errors: resolveErrors,
  maxAnswerBytes: MAX_RESOLVED_BYTES,
  summary: "Find the Instance that contains a directory of the caller's Node",
  description:
    'The Node is not asked: the path is compared as text, so it must be canonical. A production Instance contains everything below its home. Where checkouts are nested, a directory inside both is ambiguous.',
  positional: ['directory'],
})
