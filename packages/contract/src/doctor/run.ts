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
  readsOnly: true,
  input: z.strictObject({
    /** All Nodes that the caller may address when absent. */
    node_id: id.optional(),
    /** All when absent. */
    families: z.array(z.enum(doctorFamilies)).min(1).optional(),
  }),
  output: doctorReport,
  errors: ['node.not_found'],
  summary: 'Compare Nodes with their records and report differences',
  description:
    'Read-only; the report is not stored. A Node that does not answer is reported as such, and the checks that need only the records still run.',
})
