import * as z from 'zod'
import { time } from '../params.ts'

export const sshFingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must be `SHA256:` and 43 base64 characters')

/** Where the SSH server of a Git host answers. */
export const gitHostName = z
  .string()
  .min(1)
  .max(253)
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$|^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/,
    'must be a host name or an IP address',
  )
export const sshPort = z.int().min(1).max(65_535)

/** A Git host and the SSH host keys that it has to prove itself with. */
export const gitHost = z.strictObject({
  host: gitHostName,
  port: sshPort,
  /** By type. */
  keys: z.array(
    z.strictObject({
      type: z.string(),
      fingerprint: sshFingerprint,
      /** `first_use` was recorded as the host presented it, `given` was named by a person. */
      trust: z.enum(['first_use', 'given']),
      recorded_at: time,
    }),
  ),
})
export type GitHostData = z.output<typeof gitHost>
