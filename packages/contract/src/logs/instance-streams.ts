import * as z from 'zod'
import { operation } from '../operation.ts'
import { instanceId } from '../params.ts'
import { closing, openDescription, opening, openInput, renewing, streamInput } from './shared.ts'

export const instanceLogStreamOpen = operation({
  ...opening,
  name: 'instance:log-stream:open',
  path: '/instances/{instance}/log-streams',
  access: 'instanceNode',
  input: z.strictObject({ instance: instanceId, ...openInput }),
  unknown: { instance: 'instance.not_found' },
  summary: 'Open a live log of an Instance',
  description: openDescription,
})

const unknown = { instance: 'instance.not_found', stream: 'logs.stream_not_found' } as const

export const instanceLogStreamRenew = operation({
  ...renewing,
  name: 'instance:log-stream:renew',
  path: '/instances/{instance}/log-streams/{stream}',
  access: 'instanceNode',
  input: z.strictObject({ instance: instanceId, ...streamInput }),
  unknown,
  summary: 'Renew a live log of an Instance for another minute; the first renewal starts it',
})

export const instanceLogStreamClose = operation({
  ...closing,
  name: 'instance:log-stream:close',
  path: '/instances/{instance}/log-streams/{stream}',
  access: 'instanceNode',
  input: z.strictObject({ instance: instanceId, ...streamInput }),
  unknown,
  summary: 'Close a live log of an Instance',
})
