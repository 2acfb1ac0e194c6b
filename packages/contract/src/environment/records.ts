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
/** Answer of a synchronization: the same, but where somebody loses what he wrote. */
export const environmentSynced = environmentResult.extend({
  /** Keys whose value in the file was another one than that of the last synchronization: somebody had changed them there. */
  replaced_keys: z.array(z.string()).min(1).optional(),
})
export type EnvironmentResult = z.output<typeof environmentResult>
export type EnvironmentSynced = z.output<typeof environmentSynced>
