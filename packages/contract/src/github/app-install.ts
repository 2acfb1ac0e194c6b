import * as z from 'zod'
import { operation } from '../operation.ts'
import { githubAppInstallation } from './records.ts'

export const githubAppInstall = operation({
  name: 'github:app:install',
  group: 'GitHub',
  method: 'POST',
  path: '/github/app',
  access: 'gateway',
  input: z.strictObject({
    name: z
      .string()
      .min(1)
      .max(34)
      .regex(/^[A-Za-z0-9](?:[A-Za-z0-9 ._-]*[A-Za-z0-9])?$/, 'must be letters, digits, spaces and . _ -')
      .optional()
      .describe(
        'Name of the app, which nobody at GitHub may have yet; it can be changed there before the app is made. Default: one that nobody has.',
      ),
    owner: z
      .string()
      .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?$/, 'must be the name of an organization')
      .optional()
      .describe(
        'Organization that the app will belong to. Default: the account of the person in the browser.',
      ),
  }),
  output: githubAppInstallation,
  summary: 'Register the GitHub App of the gateway, or install it on more accounts',
  description:
    'Answers the page that a person has to open in a browser. Without an app it is a page of the gateway that leads through its registration at GitHub and works for an hour; another call replaces it. With one it is the page at GitHub that installs the app, and `name` and `owner` are not used.',
  positional: ['name'],
  tool: false,
})
