import {
  isDestructive,
  isReadOnly,
  LITERALS,
  memberLocation,
  type Operation,
  pathParams,
} from '@fleet/contract'

/** Where one input member travels: `either` is the query or the body, not both. */
export type MemberPlace = 'path' | 'query' | 'body' | 'either'

/** How one operation goes over HTTP. Holds no schema, so that a client can carry the whole table. */
export interface HttpRoute {
  readonly name: string
  readonly method: Operation['method']
  /** From the origin on, with `{param}` for each path parameter. */
  readonly path: string
  /** Path parameters in path order. */
  readonly params: readonly string[]
  readonly members: Readonly<Record<string, MemberPlace>>
  readonly kind: Operation['kind']
  readonly creates: boolean
  readonly readOnly: boolean
  readonly destructive: boolean
}

/** One row for each operation, in the order given (API-021, API-023). */
export const httpTable = (operations: readonly Operation[]): readonly HttpRoute[] => operations.map(httpRoute)

/** Method, full path and the place of each member. */
export function httpRoute(operation: Operation): HttpRoute {
  const params = pathParams(operation.path)
  const rest = memberLocation(operation.method)
  const members = Object.keys(operation.input.shape).map((name): [string, MemberPlace] => [
    name,
    params.includes(name) ? 'path' : rest,
  ])
  return {
    name: operation.name,
    method: operation.method,
    path: LITERALS.apiPrefix + operation.path,
    params,
    members: Object.fromEntries(members),
    kind: operation.kind,
    creates: operation.creates !== false,
    readOnly: isReadOnly(operation),
    destructive: isDestructive(operation),
  }
}
