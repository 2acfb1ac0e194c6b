import * as z from 'zod'
import { isObject } from './body.ts'

export type MessageId = string | number

/** One message of a client by what has to be done with it. */
export type Message =
  | { readonly kind: 'request'; readonly id: MessageId; readonly method: string; readonly params: unknown }
  /** A notification, or an answer to a question that this server never asks. */
  | { readonly kind: 'notice' }
  | { readonly kind: 'invalid'; readonly id: MessageId | null; readonly why: string }

/** An answer of JSON-RPC 2.0. */
export interface RpcAnswer {
  readonly jsonrpc: '2.0'
  readonly id: MessageId | null
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Error codes of JSON-RPC 2.0, section 5.1; -32000 is what MCP servers send for a header that they refuse. */
export const RPC = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  refused: -32_000,
} as const

/** MCP allows no `null` and no fraction; a larger number would come back as another one. */
const messageId = z.union([z.string(), z.int()])

/** Reads one message. `needsAnswer` knows the methods that are requests even when their id was forgotten. */
export function messageOf(value: unknown, needsAnswer: (method: string) => boolean): Message {
  const invalid = (why: string, id: MessageId | null = null): Message => ({ kind: 'invalid', id, why })
  if (!isObject(value)) return invalid('A message must be a JSON object.')
  const id = messageId.safeParse(value['id'])
  const known = id.data ?? null
  if (value['jsonrpc'] !== '2.0') return invalid('The member `jsonrpc` must be "2.0".', known)
  if (Object.hasOwn(value, 'id') && !id.success)
    return invalid('The member `id` must be a string or an integer.')
  const { method, params } = value
  if (method === undefined && (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error')))
    return { kind: 'notice' }
  if (typeof method !== 'string') return invalid('The member `method` must be a string.', known)
  if (id.success) return { kind: 'request', id: id.data, method, params }
  return needsAnswer(method)
    ? invalid(`${method} is a request and needs the member \`id\`.`)
    : { kind: 'notice' }
}

export const rpcError = (id: MessageId | null, code: number, message: string, data?: unknown): RpcAnswer => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) },
})
