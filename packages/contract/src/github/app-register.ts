import * as z from 'zod'
import { operation } from '../operation.ts'
import { githubPage } from './records.ts'

/** Made by the gateway, 32 bytes in hex. */
export const githubState = z.string().regex(/^[0-9a-f]{64}$/, 'must be the state of a registration')

export const githubAppRegister = operation({
  name: 'github:app:register',
  group: 'GitHub',
  method: 'GET',
  path: '/github/app/registration',
  access: 'gateway',
  kind: 'browser',
  input: z.strictObject({ state: githubState }),
  output: githubPage,
  errors: ['github.registration_invalid'],
  tool: false,
  summary: 'Show the page that registers the GitHub App of the gateway',
})
