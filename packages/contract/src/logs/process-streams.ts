import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { closing, openDescription, opening, openInput, renewing, streamInput } from './shared.ts'

export const processLogStreamOpen = operation({
  ...opening,
  name: 'process:log-stream:open',
  path: '/processes/{process}/log-streams',
  access: 'processNode',
  input: z.strictObject({ process: id, ...openInput }),
  unknown: { process: 'process.not_found' },
  summary: 'Open a live log of a Process',
  description: openDescription,
})

const unknown = { process: 'process.not_found', stream: 'logs.stream_not_found' } as const

export const processLogStreamRenew = operation({
  ...renewing,
  name: 'process:log-stream:renew',
  path: '/processes/{process}/log-streams/{stream}',
  access: 'processNode',
  input: z.strictObject({ process: id, ...streamInput }),
  unknown,
  summary: 'Renew a live log of a Process for another minute; the first renewal starts it',
})

export const processLogStreamClose = operation({
  ...closing,
  name: 'process:log-stream:close',
  path: '/processes/{process}/log-streams/{stream}',
  access: 'processNode',
  input: z.strictObject({ process: id, ...streamInput }),
  unknown,
  summary: 'Close a live log of a Process',
})
