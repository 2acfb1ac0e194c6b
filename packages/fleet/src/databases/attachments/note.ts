import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { InstanceRecord, Instances } from '#/instances/api.ts'

/** The Instance that an attachment is about, noted in the Activity. Throws `instance.not_found`. */
export async function noteInstance(
  { instances }: { readonly instances: Pick<Instances, 'find'> },
  call: Call,
  id: number,
  found: InstanceRecord | undefined,
): Promise<InstanceRecord> {
  const instance = found ?? (await instances.find(id))
  if (!instance) throw fail('instance.not_found')
  call.note.target(instance.node_id)
  call.note.subject('instance', instance.id)
  return instance
}
