import * as z from 'zod'
import { id } from '../params.ts'

/** Answer of every environment operation (ENV-013): names and counts, never a value. */
export const environmentResult = z.strictObject({
  instance_id: id,
  operation: z.enum(['import', 'update', 'sync']),
  /** False when the stored value or the file already matched (ENV-014). */
  changed: z.boolean(),
  /** All stored keys of the Instance (ENV-015). */
  key_count: z.int().min(0).max(1024),
})
export type EnvironmentResult = z.output<typeof environmentResult>
