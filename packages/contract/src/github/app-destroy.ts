import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'
import { githubApp } from './records.ts'

export const githubAppDestroy = operation({
  name: 'github:app:destroy',
  group: 'GitHub',
  method: 'DELETE',
  path: '/github/app',
  access: 'gateway',
  input: z.strictObject(none),
  output: githubApp,
  errors: ['github.app_missing'],
  summary: 'Forget the GitHub App of the gateway',
  description:
    'Deletes what the gateway stores of it, with its private key. The app stays at GitHub until somebody deletes it there, at `url`.',
  tool: false,
})
