import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { type Clock, type CodedError, LIMITS, within } from '@fleet/kernel'
import { fail, invalid, type Operation } from '@fleet/contract'
import type { Place } from './admission.ts'
import { asCoded } from '@fleet/fleet'
import { inspectMembers } from './members.ts'
import { unstorable } from './storable.ts'

/** The parsed members, or why there are none. The refusal waits until identity and grant have been checked. */
export type Body =
  | {
      readonly members: Readonly<Record<string, unknown>>
      /** The body came form-encoded. */
      readonly isForm?: true
      readonly error?: undefined
    }
  | { readonly members?: undefined; readonly error: CodedError }

/** What a client sent as JSON, of whatever kind, or why there is nothing. */
export type Json =
  | { readonly value: unknown; readonly error?: undefined }
  /** The value of valid JSON comes with its refusal. */
  | { readonly value?: unknown; readonly error: CodedError }

/** What a request says of its body. */
export type BodyHeaders = Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding'>

/** How long a client may take to send its body. */
const BODY_SECONDS = 30

/** Reads at most `LIMITS.bodyMaxBytes`, then parses strictly (GW-013). Never throws. */
export async function readBody(
  stream: Readable,
  headers: BodyHeaders,
  clock: Clock,
  { takesForm, judgesText }: Pick<Operation, 'takesForm' | 'judgesText'> = {},
): Promise<Body> {
  const bytes = await bytesOf(stream, clock)
  if (!Buffer.isBuffer(bytes)) return { error: bytes }
  if (bytes.length === 0) return { members: {} }
  const encoded = encodingFault(headers)
  if (encoded) return { error: encoded }
  if (takesForm && /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? ''))
    return parseForm(bytes)
  return isJson(headers) ? parseBody(bytes, judgesText) : { error: fail('http.415') }
}

/** The same for an interface whose requests are not all objects, and never empty; texts are judged by what takes them. Never throws. */
export async function readJson(stream: Readable, headers: BodyHeaders, clock: Clock): Promise<Json> {
  const bytes = await bytesOf(stream, clock)
  if (!Buffer.isBuffer(bytes)) return { error: bytes }
  const encoded = encodingFault(headers)
  if (encoded) return { error: encoded }
  return isJson(headers) ? parseJson(bytes, () => undefined, true) : { error: fail('http.415') }
}

async function bytesOf(stream: Readable, clock: Clock): Promise<Buffer | CodedError> {
  const read = await within(clock, BODY_SECONDS * 1000, readBounded(stream))
  return read.inTime ? read.value : fail('http.408')
}

/** A page of another origin can send any other media type without asking first. */
const isJson = ({ 'content-type': type = '' }: BodyHeaders): boolean =>
  /^application\/json\s*(;|$)/i.test(type)

/** RFC 9110, 8.4: nothing here decodes one. */
function encodingFault({ 'content-encoding': encoding = 'identity' }: BodyHeaders): CodedError | undefined {
  if (/^\s*(identity)?\s*$/i.test(encoding)) return undefined
  return fail('http.415', {
    message: 'The request body must be sent as it is, without a Content-Encoding.',
    details: { content_encoding: encoding },
  })
}

/** A body that is awaited without a place; `http.busy` takes its place in the order of refusals when none is free then. */
export const bodyInPlace = <T>(
  place: Place,
  read: () => Promise<T>,
): Promise<T | { readonly error: CodedError }> =>
  place.without(read).catch((error: unknown) => ({ error: asCoded(error) }))

/** Members of a form, all text and each given once. */
export function parseForm(bytes: Buffer): Body {
  const members = new Map<string, string>()
  for (const pair of bytes.toString('latin1').split('&')) {
    if (pair === '') continue
    const end = pair.includes('=') ? pair.indexOf('=') : pair.length
    const [name, value] = [formText(pair.slice(0, end)), formText(pair.slice(end + 1))]
    if (name === undefined || value === undefined)
      return { error: invalid({ body: ['must be form-encoded UTF-8'] }) }
    if (members.has(name)) return { error: invalid({ [name]: ['is given more than once'] }) }
    members.set(name, value)
  }
  const wrong = unstorable(Object.fromEntries(members))
  if (Object.keys(wrong).length > 0) return { error: invalid(wrong) }
  return { members: Object.fromEntries(members), isForm: true }
}

/** Undefined for text that is not percent-encoded UTF-8, where `URLSearchParams` would put replacement characters. */
function formText(text: string): string | undefined {
  if (/[^ -~]/.test(text)) return undefined
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** One JSON object with unique members, at every depth (API-020, ENV-012). */
export function parseBody(bytes: Buffer, judgesText?: true): Body {
  const { value, error } = parseJson(
    bytes,
    (found) => (isObject(found) ? undefined : 'must be one JSON object'),
    judgesText,
  )
  return error ? { error } : { members: value as Readonly<Record<string, unknown>> } // Anything else was refused.
}

/** JSON of which every member is unique, every text storable and the depth bounded; `wrong` refuses kinds of values. */
function parseJson(bytes: Buffer, wrong: (value: unknown) => string | undefined, judgesText?: true): Json {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { error: invalid({ body: ['must be UTF-8'] }) }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { error: invalid({ body: ['must be valid JSON'] }) }
  }
  const refusal = wrong(value)
  if (refusal !== undefined) return { error: invalid({ body: [refusal] }) }
  const { duplicates, tooDeep } = inspectMembers(text)
  if (tooDeep) return { value, error: invalid({ body: ['is nested too deeply'] }) }
  const errors =
    duplicates.length > 0
      ? Object.fromEntries(duplicates.map((path) => [path, ['is given more than once']]))
      : judgesText
        ? {}
        : unstorable(value)
  return Object.keys(errors).length > 0 ? { value, error: invalid(errors) } : { value }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readBounded(stream: Readable): Promise<Buffer | CodedError> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (result: Buffer | CodedError): void => {
      stream.removeListener('data', take)
      resolve(result)
      // The rest is read and dropped, so that the client gets to see the answer.
      stream.resume()
    }
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size > LIMITS.bodyMaxBytes)
        finish(fail('http.413', { details: { max_bytes: LIMITS.bodyMaxBytes } }))
      else chunks.push(chunk)
    }
    stream.on('data', take)
    const cut = (): void => finish(fail('http.400'))
    stream.once('end', () => {
      stream.removeListener('close', cut)
      finish(Buffer.concat(chunks))
    })
    stream.once('error', cut)
    stream.once('close', cut)
  })
}
