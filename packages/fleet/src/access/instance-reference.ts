import { baseSchema, memberSchema, type Operation } from '@fleet/contract'
import { pathId } from '#/access/path-id.ts'
import type { InstanceRecord, Instances } from '#/instances/api.ts'

/** Instances that a path names: by id, and where the operation takes text also by exact Route domain (ENV-006, ENV-008). */
export async function instancesNamed(
  instances: Pick<Instances, 'find' | 'findByReference'>,
  operation: Operation,
  text: string,
): Promise<readonly InstanceRecord[]> {
  // A NUL stands in no domain, and PostgreSQL takes none.
  if (takesReference(operation)) return text.includes('\0') ? [] : instances.findByReference(text)
  const id = pathId(text)
  const instance = id === undefined ? undefined : await instances.find(id)
  return instance ? [instance] : []
}

function takesReference(operation: Operation): boolean {
  const schema = memberSchema(operation, 'instance')
  return schema !== undefined && baseSchema(schema).def.type === 'string'
}
