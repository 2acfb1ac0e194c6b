import * as z from 'zod'
import { operation } from '../operation.ts'
import { id, time } from '../params.ts'
import { loginErrors } from '../source-host/login-errors.ts'
import { gitHost, sshFingerprint } from '../source-host/records.ts'
import { projectSlug } from './records.ts'

const unknown = { project: 'project.not_found' } as const
const sshUrl = z
  .string()
  .min(1)
  .max(2048)
  .optional()
  .describe('SSH URL of the same repository. Required while the URL of the Project is another one.')
const publicKey = z.strictObject({
  /** A line that Git hosts take as a deploy key. */
  public_key: z.string(),
  fingerprint: sshFingerprint,
  created_at: time,
})

/** The private key never leaves the store but for one Git command. */
export const deployKey = publicKey.extend({
  project: z.strictObject({ id, slug: projectSlug }),
  /** `pending` until the Git host accepts it; only then repositories are read with it. */
  status: z.enum(['pending', 'active']),
  /** The key that takes its place as soon as the Git host accepts it. */
  next: publicKey.nullable(),
  host: gitHost,
})
export type DeployKeyData = z.output<typeof deployKey>

export const projectDeployKeyShow = operation({
  name: 'project:deploy-key:show',
  group: 'Projects',
  method: 'GET',
  path: '/projects/{project}/deploy-key',
  access: 'gateway',
  input: z.strictObject({ project: id, repository_url: sshUrl }),
  output: deployKey,
  errors: ['project.deploy_key_missing', 'project.deploy_key_needs_ssh'],
  unknown,
  summary: 'Show the public deploy key of a Project',
})

export const projectDeployKeyCreate = operation({
  name: 'project:deploy-key:create',
  group: 'Projects',
  method: 'POST',
  path: '/projects/{project}/deploy-key',
  access: 'gateway',
  input: z.strictObject({
    project: id,
    repository_url: sshUrl,
    rotate: z
      .boolean()
      .optional()
      .describe('Make another key, which takes the place of the active one once the Git host accepts it.'),
    host_fingerprint: sshFingerprint
      .optional()
      .describe('Fingerprint of the SSH host key that the Git host has to present.'),
  }),
  output: deployKey,
  creates: true,
  errors: [
    'project.deploy_key_needs_ssh',
    'project.default_branch_unavailable',
    'project.lifecycle_busy',
    'git.host_key_mismatch',
    ...loginErrors,
  ],
  unknown,
  summary: 'Make a deploy key for the repository of a Project, or activate it',
  description:
    'The first request makes the key and shows its public part: add that to the repository at the Git host, with read access. The identical request then tries it, and activates it once the host accepts it; from then on the repository is read with it, on the gateway and on every Node. The SSH host keys of the Git host are recorded with the key. With `rotate`, the active key stays in use until the host accepts the next one. For a Project with an HTTPS URL, name the SSH URL of its repository; once the key is active, `project:update` gives the Project that URL, and from then on the key is used.',
})

export const projectDeployKeyDestroy = operation({
  name: 'project:deploy-key:destroy',
  group: 'Projects',
  method: 'DELETE',
  path: '/projects/{project}/deploy-key',
  access: 'gateway',
  input: z.strictObject({ project: id }),
  output: z.strictObject({
    project: z.strictObject({ id, slug: projectSlug }),
    /** Fingerprints of the keys that the Git host should no longer accept. */
    fingerprints: z.array(sshFingerprint),
  }),
  errors: ['project.deploy_key_missing', 'project.lifecycle_busy'],
  unknown,
  summary: 'Remove the deploy key of a Project',
  description:
    'From then on the repository is read with what gateway and Nodes have themselves. Remove the public key at the Git host too.',
})
