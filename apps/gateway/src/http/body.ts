import type { Readable } from 'node:stream'
import { type Clock, type CodedError, LIMITS, within } from '@fleet/kernel'
import { fail, invalid } from '@fleet/contract'
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

/** How long a client may take to send its body. */
const BODY_SECONDS = 30

/** Reads at most `LIMITS.bodyMaxBytes`, then parses strictly (GW-013). Never throws. */
export async function readBody(
  stream: Readable,
  contentType: string | undefined,
  clock: Clock,
  takesForm = false,
): Promise<Body> {
  const read = await within(clock, BODY_SECONDS * 1000, readBounded(stream))
  const bytes = read.inTime ? read.value : fail('http.408')
  if (!Buffer.isBuffer(bytes)) return { error: bytes }
  if (bytes.length === 0) return { members: {} }
  if (takesForm && /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? ''))
    return parseForm(bytes)
  // A page of another origin can send any other media type without asking first.
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) return { error: fail('http.415') }
  return parseBody(bytes)
}

/** A body that is awaited without a place; `http.busy` takes its place in the order of refusals when none is free then. */
export const bodyInPlace = (place: Place, read: () => Promise<Body>): Promise<Body> =>
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
  const { error } = storable(Object.fromEntries(members))
  return error ? { error } : { members: Object.fromEntries(members), isForm: true }
}

function storable(members: Readonly<Record<string, unknown>>): Body {
  const wrong = unstorable(members)
  return Object.keys(wrong).length === 0 ? { members } : { error: invalid(wrong) }
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
export function parseBody(bytes: Buffer): Body {
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
  if (!isObject(value)) return { error: invalid({ body: ['must be one JSON object'] }) }
  const { duplicates, tooDeep } = inspectMembers(text)
  if (tooDeep) return { error: invalid({ body: ['is nested too deeply'] }) }
  if (duplicates.length === 0) return storable(value)
  return { error: invalid(Object.fromEntries(duplicates.map((path) => [path, ['is given more than once']]))) }
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
    stream.once('end', () => finish(Buffer.concat(chunks)))
    stream.once('error', () => finish(fail('http.400')))
    stream.once('close', () => finish(fail('http.400')))
  })
}
