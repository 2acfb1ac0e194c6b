import * as z from 'zod'
import { operation } from '../operation.ts'
import { instance } from './records.ts'

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
      .describe('Absolute path of a checkout or of a directory inside one.'),
  }),
  output: instance,
  errors: ['instance.directory_not_found'],
  summary: "Find the Instance that contains a directory of the caller's Node",
  positional: ['directory'],
})
