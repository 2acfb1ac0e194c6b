import { findOperation, type Operation } from '@fleet/contract'

/** The declaration of an operation of this domain. */
export function operationOf(name: string): Operation {
  const operation = findOperation(name)
  if (!operation) throw new Error(`there is no operation ${name}`)
  return operation
}
