import * as z from 'zod'
import { node, nodeIdentity } from './records.ts'

export const nodeEvents = {
  'node.created': { data: node, summary: 'A Node was enrolled.' },
  'node.updated': {
    data: node,
    summary: 'A Node was converged, renamed or retargeted, or its settings, roles or `updating` changed.',
  },
  'node.deleted': { data: z.strictObject(nodeIdentity.shape), summary: 'A Node was removed.' },
} as const
