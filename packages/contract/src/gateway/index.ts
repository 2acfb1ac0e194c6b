import * as z from 'zod'
import { operation } from '../operation.ts'
import { none } from '../params.ts'

export const gatewayStatuses = ['ready', 'degraded', 'draining'] as const

export const gatewayStatus = operation({
  name: 'gateway:status',
  group: 'Gateway',
  method: 'GET',
  path: '/gateway/status',
  access: 'public',
  input: z.strictObject(none),
  output: z.strictObject({
    name: z.string(),
    status: z.enum(gatewayStatuses),
    version: z.string(),
    runtime: z.strictObject({ name: z.string(), version: z.string() }),
    desired_fleet_state: z.null(),
  }),
  summary: 'Show the status and the version of the gateway',
})

export const gatewayTrust = operation({
  name: 'gateway:trust',
  group: 'Gateway',
  method: 'GET',
  path: '/ca/root',
  access: 'public',
  input: z.strictObject(none),
  output: z.strictObject({
    /** PEM text of the root certificate. */
    root_ca: z.string(),
    /** SHA-256 of the certificate's DER form: 64 lowercase hexadecimal characters. */
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  errors: ['ca.unavailable'],
  summary: 'Show the root certificate of the fleet and its fingerprint',
})

export const gatewaySshKey = operation({
  name: 'gateway:ssh-key',
  group: 'Gateway',
  method: 'GET',
  path: '/gateway/ssh-key',
  access: 'peer',
  input: z.strictObject(none),
  output: z.strictObject({
    /** One line for `authorized_keys`: type, key and comment. */
    public_key: z.string(),
    /** `SHA256:` and 43 base64 characters, as `ssh-keygen -lf` prints it. */
    fingerprint: z.string(),
  }),
  summary: 'Show the public SSH key of the gateway',
  description:
    'Before a machine is enrolled, add this line to `~/.ssh/authorized_keys` of the user that the enrollment logs in as.',
})

export const gatewayOperations = { gatewayStatus, gatewayTrust, gatewaySshKey }
