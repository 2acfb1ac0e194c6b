import * as z from 'zod'
import { operation } from '../operation.ts'
import { gitHost, gitHostName, sshFingerprint, sshPort } from './records.ts'

export const gitHostTrust = operation({
  name: 'git-host:trust',
  group: 'Projects',
  method: 'POST',
  path: '/git-hosts',
  access: 'gateway',
  input: z.strictObject({
    host: gitHostName.describe('Name or IP address in the SSH URL of the repositories.'),
    port: sshPort.optional().describe('SSH port. Default: 22.'),
    fingerprint: sshFingerprint
      .optional()
      .describe('Fingerprint that the operator of the host publishes: only this key is recorded.'),
  }),
  output: gitHost,
  creates: true,
  errors: ['git.host_unreachable', 'git.host_key_mismatch', 'git.host_key_changed'],
  summary: 'Record the SSH host keys of a Git host',
  description:
    'Git reads repositories with deploy keys only from hosts that prove a recorded key. With `fingerprint`, the key with it takes the place of all recorded ones of the host, provided that the host presents it now. Without it, the keys that the host presents are recorded if none are yet.',
  positional: ['host'],
  tool: false,
})
