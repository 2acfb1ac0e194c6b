import * as z from 'zod'
import { operation } from '../operation.ts'
import { githubState } from './app-register.ts'
import { GITHUB_CONFIRMATION_PATH, githubPage } from './records.ts'

export const githubAppConfirm = operation({
  name: 'github:app:confirm',
  group: 'GitHub',
  method: 'GET',
  path: GITHUB_CONFIRMATION_PATH,
  access: 'gateway',
  kind: 'browser',
  input: z.strictObject({
    state: githubState,
    code: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be the code that GitHub sent'),
  }),
  output: githubPage,
  errors: ['github.registration_invalid', 'github.registration_failed', 'github.unavailable'],
  tool: false,
  summary: 'Take the GitHub App that was registered, and go on to its installation',
})
