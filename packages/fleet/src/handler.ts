import type { InputOf, Operation, OperationName, OperationOf } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type * as z from 'zod'
import type { Call } from './call.ts'

/** `created` distinguishes a first creation (201) from an exact repeat (200). */
export interface Outcome<T> {
  readonly data: T
  readonly created?: boolean
  /** Set when the data itself says that the work failed: its Activity has the code. For streams. */
  readonly failure?: CodedError | undefined
}

/**
 * The record of each kind of path parameter that names one. Each domain adds its own beside its locators. A key is the
 * parameter, or where its name alone does not say what it names, the segment before it too: `firewall-rules/{name}`.
 */
export interface PathRecords {}

export type PathParam = keyof PathRecords

/** Finds the record that a parameter names; undefined when there is none. `found` has the records of the parameters before it. */
export type Locator<P extends PathParam> = (
  text: string,
  found: FoundRecords,
) => Promise<PathRecords[P] | undefined>

/** The locators of one domain. */
export type LocatorsOf<P extends PathParam> = { readonly [K in P]: Locator<K> }

/** One locator for every kind of path parameter; a missing one does not compile. */
export type Locators = LocatorsOf<PathParam>

type Bare<K extends string> = K extends `${string}{${infer Name}}` ? Name : never

/** Records by the names of their parameters, as far as they have been found. */
export type FoundRecords = {
  readonly [Name in Bare<PathParam>]?: PathRecords[Extract<PathParam, `{${Name}}` | `${string}/{${Name}}`>]
}

type RecordAt<Segment extends string, Before extends string> = Segment extends `{${infer Name}}`
  ? `${Before}/${Segment}` extends PathParam
    ? { readonly [_ in Name]: PathRecords[`${Before}/${Segment}`] }
    : Segment extends PathParam
      ? { readonly [_ in Name]: PathRecords[Segment] }
      : unknown
  : unknown
type RecordsIn<Path extends string, Before extends string = ''> = Path extends `${infer Head}/${infer Rest}`
  ? RecordAt<Head, Before> & RecordsIn<Rest, Head>
  : RecordAt<Path, Before>

/** The records that the path of an operation names, by parameter. */
export type FoundOf<N extends OperationName> = RecordsIn<OperationOf<N>['path']>

export interface HandlerRequest<I, R = unknown> {
  readonly call: Call
  /** Parsed by the operation's schema: exact types, defaults filled in. */
  readonly input: I
  /**
   * The records that the path names, as they were before any lock. Absent where no path was located, as on the console of
   * the gateway; the handler then finds them by its input.
   */
  readonly found?: R
}

export type Handler<N extends OperationName> = (
  request: HandlerRequest<InputOf<N>, FoundOf<N>>,
) => Promise<Outcome<z.input<OperationOf<N>['output']>>>

/** One handler for every operation of the catalogue; a missing one does not compile. */
export type Handlers = { readonly [N in OperationName]: Handler<N> }

/** The handlers of one domain. */
export type HandlersOf<N extends OperationName> = Pick<Handlers, N>

/** A handler as the HTTP layer calls it, with the types of the declaration erased. */
export type AnyHandler = (request: HandlerRequest<never, never>) => Promise<Outcome<unknown>>

/** What a path, and for `bodyNode` the body, name: found before the grant check and before the input check. */
export interface Located {
  /** Nodes on which the caller needs a grant: all of them, or one of them when `any` is set. Empty means none needed. */
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly name: string }>
  readonly any?: boolean
  readonly subject?: { readonly type: string; readonly id: number | string }
  /** The Node that it acts on, where others are concerned besides; the only one of `nodes` when absent. */
  readonly target?: number
  /** The records that the path names, for the handler. */
  readonly found?: FoundRecords
  /** The path names several records; thrown once the grant has been checked. */
  readonly refusal?: CodedError
}

/** What a locator throws for a text that names several records: only who may act on one of their Nodes gets the error. */
export class SeveralRecords extends Error {
  override readonly name = 'SeveralRecords'
  readonly error: CodedError
  readonly nodeIds: readonly number[]
  constructor(error: CodedError, nodeIds: readonly number[]) {
    super(error.message)
    this.error = error
    this.nodeIds = nodeIds
  }
}

/** The unvalidated request as locators see it: texts of path and query, and the parsed body, if it was an object. */
export interface RawRequest {
  readonly path: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
}

/** Finds what a request is about, or throws the 404 that the operation names for the parameter. */
export type Locate = (operation: Operation, raw: RawRequest) => Promise<Located>
