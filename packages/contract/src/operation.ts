import type * as z from 'zod'
import type { ErrorCode } from './errors.ts'
import { id } from './params.ts'

/**
 * Who may call, and what the caller needs a grant on:
 * - `public` no identity (GW-006)
 * - `peer` any active Node, no grant; lists filter to what the caller may address (GW-009)
 * - `agent` the agent of the calling Node, by its tunnel address and its secret; no grant, no Activity, no command, no tool (AGT-001)
 * - `gateway` a grant on the gateway Node
 * - `node` a grant on the Node that the path names
 * - `roleNodes` a grant on the Node that the path names; for the public edge of its Cluster on every member, and on the gateway Node for a role of the whole fleet
 * - `relocationNodes` the same, and a grant on each Node that has or had the role
 * - `servingNode` a grant on the Node whose grants the path is about (`{serving}`), or on the gateway Node
 * - `clusterNodes` a grant on every member of the Cluster that the path names, or on the gateway Node when it has none; and on the Node that the path names besides (CLU-011)
 * - `bodyNode` a grant on the Node that the body's `node_id` names
 * - `transferNodes` grants on the Node of the Instance and on the one that the body's `node_id` names
 * - `cloneNodes` grants on the Node of the Instance that the path names as the candidate and on the one that the body's `node_id` names
 * - `instanceNode` a grant on the Node of the Instance that the path names
 * - `processNode` a grant on the Node of the Process that the path names
 * - `scheduleNode` a grant on the Node of the Schedule that the path names
 * - `scheduleHost` that Node itself, which reports; no grant, no Activity, no command, no tool (ACT-011)
 * - `deploymentNode` a grant on the Node of the Instance whose deployment the path names
 * - `toolNode` a grant on the Node of the Tool that the path names
 * - `queryNode` a grant on the Node that the query's `node_id` names
 * - `bodyTarget` a grant on the Node that the body's `target_type` and `target_id` name, or on that of the Instance which they name
 * - `activityNode` a grant on the caller's or the target's Node of the Activity that the path names, or on the gateway Node (ACT-009)
 * - `projectNode` a grant on one Node that runs an Instance of the Project, or on the gateway Node when it has none (PRJ-063)
 * - `projectAddressable` as `projectNode`; a Project without Instances is readable by every peer (PRJ-031)
 * - `routeNodes` a grant on the Node that serves the Route that the path names, or on every Node of its Cluster; on the gateway Node when that has none
 * - `routeTarget` as `routeNodes`, and on the Nodes of the Instances that the body names and every Node of their active Clusters
 * - `bodyRoute` a grant on the Node that the body's `node_id` names, or on that of the Instance which its `instance_id` names and on every Node of its active Cluster (ACC-013)
 */
export type Access =
  | 'public'
  | 'peer'
  | 'agent'
  | 'gateway'
  | 'node'
  | 'roleNodes'
  | 'relocationNodes'
  | 'servingNode'
  | 'clusterNodes'
  | 'bodyNode'
  | 'cloneNodes'
  | 'transferNodes'
  | 'instanceNode'
  | 'processNode'
  | 'scheduleNode'
  | 'scheduleHost'
  | 'deploymentNode'
  | 'toolNode'
  | 'queryNode'
  | 'bodyTarget'
  | 'activityNode'
  | 'projectNode'
  | 'projectAddressable'
  | 'routeNodes'
  | 'routeTarget'
  | 'bodyRoute'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * `json` answers the envelope, `stream` NDJSON lines as they arrive, `raw` its own media type, `empty` 204 without a body
 * (GW-022); `page` a page for a visitor, or 204 when there is nothing to show; `browser` a page or a redirection for the browser of
 * a person of the fleet, whose refusals are pages too.
 */
export type Kind = 'json' | 'stream' | 'raw' | 'empty' | 'page' | 'browser'

/** Resource group: the OpenAPI tag and the CLI's heading (API-004). */
export type Group =
  | 'Gateway'
  | 'Activities'
  | 'Doctor'
  | 'Nodes'
  | 'Agents'
  | 'Clusters'
  | 'Firewall'
  | 'Projects'
  | 'GitHub'
  | 'Instances'
  | 'Deployments'
  | 'Routes'
  | 'Processes'
  | 'Schedules'
  | 'Tools'
  | 'Environment'
  | 'Databases'
  | 'Dependencies'
  | 'Logs'
  | 'Realtime'

type Name = `${string}:${string}`
type Params<P extends string> = P extends `${string}{${infer K}}${infer Rest}` ? K | Params<Rest> : never

export interface Operation<
  P extends string = string,
  I extends z.ZodRawShape = z.ZodRawShape,
  O extends z.ZodType = z.ZodType,
  N extends Name = Name,
> {
  /** `family:noun:verb`. CLI command as written, MCP tool with hyphens, never reused or renamed. */
  readonly name: N
  readonly group: Group
  readonly method: Method
  /** Relative to `/api/v1`, with `{param}` for each path parameter. */
  readonly path: P
  readonly access: Access
  readonly kind: Kind
  /** Path, query and body members in one strict object; where each travels follows from path and method. */
  readonly input: z.ZodObject<I>
  /** `data` of the envelope; one line of a stream; the whole body of a raw answer. */
  readonly output: O
  /** A first creation answers 201, an exact repeat 200 (GW-021); `always` where a repeat is refused or creates another. */
  readonly creates: boolean | 'always'
  /** Error codes of its own guards; identity, grant and input refusals are implied by `access` and `input`. */
  readonly errors: readonly ErrorCode[]
  /** 404 code for a path parameter that names no record; the key is the parameter. */
  readonly unknown: Readonly<Partial<Record<Params<P>, ErrorCode>>>
  /** 404 code for a path parameter that no record could be called by; the work looks for the record itself and has the code among its `errors`. */
  readonly unnamed?: Readonly<Record<string, ErrorCode>>
  /** Path parameters whose record may be gone: the operation runs without it, and refuses what it does not know itself. */
  readonly mayBeGone?: readonly string[]
  /** One line without a full stop: CLI help, OpenAPI summary, MCP title. */
  readonly summary: string
  /** Rules a caller should know: markdown sentences. */
  readonly description?: string
  /** Order of positional CLI arguments; path parameters in path order when absent. */
  readonly positional?: readonly (keyof I & string)[]
  /** Works on tasks with an agent's authority. */
  readonly taskAction?: true
  /** Offered only while this extension is enabled (EXT-005). */
  readonly extension?: 'tasks' | 'proxycli'
  /** False keeps it out of MCP (MCP-014). */
  readonly tool?: false
  /** Its success can destroy something a person cares for; the CLI asks first. DELETE implies it. */
  readonly destructive?: true
  /** Changes nothing although it is no GET, which is for input that no query holds. Its calls are recorded as changes are. */
  readonly readsOnly?: true
  /** Media type of a raw answer. */
  readonly mediaType?: string
  /**
   * A long operation that reports its steps: a client that accepts NDJSON sees them as they happen. For `json`
   * operations alone.
   */
  readonly watchable?: true
  /**
   * Also takes its body form-encoded, all members being text, as clients of a foreign protocol send it; such a request gets
   * `data` without the envelope.
   */
  readonly takesForm?: true
  /** Its texts have rules and a code of their own: one that no database stores as it came gets that code too. */
  readonly judgesText?: true
  /**
   * Its work ends as soon as its client has gone: nobody else waits for the answer, and no record is left half changed. With the
   * name of a member: unless that is true.
   */
  readonly endsWithClient?: true | { readonly unless: keyof I & string }
  /** Without this member being true it only reads, and is recorded as a read is (API-019). */
  readonly changesWith?: keyof I & string
  /** Bytes of a whole answer, for clients: a longer one is not of this operation. */
  readonly maxAnswerBytes?: number
  /** Its calls leave no Activity, whatever they answer (LOGS-028). */
  readonly unrecorded?: true
}

type Given<P extends string, I extends z.ZodRawShape, O extends z.ZodType, N extends Name> = Omit<
  Operation<P, I, O, N>,
  'kind' | 'creates' | 'errors' | 'unknown'
> &
  Partial<Pick<Operation<P, I, O>, 'kind' | 'creates' | 'errors'>> &
  // Every path parameter that names a record says what its absence is called.
  (Params<P> extends never ? { readonly unknown?: never } : Pick<Operation<P, I, O>, 'unknown'>)

/** Declares an operation. A path parameter without an input field does not compile. */
export const operation = <
  const P extends string,
  I extends z.ZodRawShape & Record<Params<P>, z.ZodType>,
  O extends z.ZodType,
  const N extends Name,
>(
  given: Given<P, I, O, N>,
): Operation<P, I, O, N> => ({
  kind: 'json',
  creates: false,
  errors: [],
  ...given,
  // A path without parameters has nothing to name; the compiler cannot see that P decides it.
  unknown: given.unknown ?? ({} as Operation<P, I, O>['unknown']),
})

/** Names of the path parameters in path order. */
export const pathParams = (path: string): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')

/** The path parameters in path order, each with the segment before it. */
export const pathSegments = (
  path: string,
): ReadonlyArray<{ readonly param: string; readonly before: string }> =>
  path.split('/').flatMap((segment, index, all) => {
    const param = /^\{(\w+)\}$/.exec(segment)?.[1]
    return param === undefined ? [] : [{ param, before: all[index - 1] ?? '' }]
  })

/** Called by machines of the fleet on their own: no command, no tool and no Activity. */
export const isCallback = ({ access, kind }: Operation): boolean =>
  access === 'agent' || access === 'scheduleHost' || kind === 'page'

/** What a client of the fleet may send as a command: all but callbacks and what a browser is sent to. */
export const isCommand = (operation: Operation): boolean =>
  !isCallback(operation) && operation.kind !== 'browser'

const NAMING: ReadonlySet<Access> = new Set([
  'bodyNode',
  'cloneNodes',
  'transferNodes',
  'bodyTarget',
  'bodyRoute',
  'routeTarget',
  'roleNodes',
  'relocationNodes',
])

/** What the caller needs a grant on is in the body, which is read before the grant check. */
export const namesNodeInBody = ({ access }: Operation): boolean => NAMING.has(access)

export const isReadOnly = (operation: Operation): boolean =>
  operation.method === 'GET' || operation.readsOnly === true
export const isDestructive = (operation: Operation): boolean =>
  operation.method === 'DELETE' || operation.destructive === true
/**
 * Whether it may overwrite, stop or remove what was there: no read and no creation does. Undefined for other changes, of which only
 * their input says it.
 */
export const mayDestroy = (operation: Operation): boolean | undefined => {
  if (isDestructive(operation)) return true
  return isReadOnly(operation) || operation.creates !== false ? false : undefined
}

/** Where the members that are not in the path travel. DELETE takes its flags from the query or the body. */
export const memberLocation = (method: Method): 'query' | 'body' | 'either' =>
  method === 'GET' ? 'query' : method === 'DELETE' ? 'either' : 'body'

/** Schema of one input member. */
export const memberSchema = (operation: Operation, name: string): z.ZodType | undefined =>
  Object.hasOwn(operation.input.shape, name)
    ? (operation.input.shape[name] as z.ZodType) // Every shape is built from classic zod types.
    : undefined

/** Whether a path parameter is an id and nothing else, such as no domain of an Instance (DEX-014). */
export const isIdAlone = ({ input }: Operation, param: string): boolean => input.shape[param] === id

/** The 404 code of a path parameter; undefined for one that names no record. */
export const unknownCode = (operation: Operation, param: string): ErrorCode | undefined => {
  const codes: Readonly<Record<string, ErrorCode | undefined>> = operation.unknown
  return codes[param]
}
