import type { InputOf, Operation, OperationName, OperationOf } from '@fleet/contract'
import type * as z from 'zod'
import type { Call } from './call.ts'

/** `created` tells a first creation (201) from an exact repeat (200). */
export interface Outcome<T> {
  readonly data: T
  readonly created?: boolean
}

export interface HandlerRequest<I> {
  readonly call: Call
  /** Parsed by the operation's schema: exact types, defaults filled in. */
  readonly input: I
}

export type Handler<N extends OperationName> = (
  request: HandlerRequest<InputOf<N>>,
) => Promise<Outcome<z.input<OperationOf<N>['output']>>>

/** One handler for every operation of the catalogue; a missing one does not compile. */
export type Handlers = { readonly [N in OperationName]: Handler<N> }

/** The handlers of one domain. */
export type HandlersOf<N extends OperationName> = Pick<Handlers, N>

/** A handler as the HTTP layer calls it, with the types of the declaration erased. */
export type AnyHandler = (request: HandlerRequest<never>) => Promise<Outcome<unknown>>

/** What a path, and for `bodyNode` the body, name: found before the grant check and before the input check. */
export interface Located {
  /** Nodes on which the caller needs a grant: all of them, or one of them when `any` is set. Empty means none needed. */
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly name: string }>
  readonly any?: boolean
  readonly subject?: { readonly type: string; readonly id: number | string }
}

/** The unvalidated request as locators see it: path texts and the parsed body, if it was an object. */
export interface RawRequest {
  readonly path: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/** Finds what a request is about, or throws the 404 that the operation names for the parameter. */
export type Locate = (operation: Operation, raw: RawRequest) => Promise<Located>
