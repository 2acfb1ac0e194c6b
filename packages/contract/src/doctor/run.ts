import * as z from 'zod'
import { operation } from '../operation.ts'
import { id } from '../params.ts'
import { doctorFamilies, doctorReport } from './records.ts'

export const doctorRun = operation({
  name: 'doctor:run',
  group: 'Doctor',
  method: 'POST',
  path: '/doctor',
  access: 'bodyNode',
  input: z.strictObject({
    /** All Nodes that the caller may address when absent. */
    node_id: id.optional(),
    /** All when absent. */
    families: z.array(z.enum(doctorFamilies)).min(1).optional(),
  }),
  output: doctorReport,
  errors: ['node.not_found'],
  summary: 'Check whether Nodes and records are as they should be',
  description:
    'Changes nothing and stores nothing. A Node that does not answer is reported as such; what the records alone can tell is checked anyway.',
})
