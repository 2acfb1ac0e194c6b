import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'
import { githubAppDetail } from './records.ts'

export const githubAppShow = operation({
  name: 'github:app:show',
  group: 'GitHub',
  method: 'GET',
  path: '/github/app',
  access: 'gateway',
  input: z.strictObject(none),
  output: githubAppDetail,
  errors: ['github.app_missing', 'github.unavailable'],
  summary: 'Show the GitHub App of the gateway and who has installed it',
  description: 'Installations are listed as GitHub has them now, at most 1000.',
})
