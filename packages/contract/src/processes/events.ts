import * as z from 'zod'
import { id } from '../params.ts'
import { process } from './records.ts'

/** Processes of one `process.usage`; more are sent in further parts (EV-036). */
export const PROCESS_USAGE_PART = 200

export const processEvents = {
  'process.created': { data: process, summary: 'A Process was created.' },
  'process.status': {
    data: process,
    summary: 'A Process was started, stopped or restarted. `runtime_status` was read when the action ended.',
  },
  'process.deleted': {
    data: z.strictObject({ id, name: z.string() }),
    summary: 'A Process was removed.',
  },
  'process.usage': {
    data: z.strictObject({
      part: z.int().min(1),
      parts: z.int().min(1),
      /** Id, share of one core, bytes of memory; nulls where there is no sample. */
      processes: z
        .array(z.tuple([id, z.number().min(0).nullable(), z.int().min(0).nullable()]))
        .max(PROCESS_USAGE_PART),
    }),
    summary:
      'CPU and memory of Processes, every 15 s while a client watches a Node. The id is the time of the sample in Unix seconds.',
  },
} as const
