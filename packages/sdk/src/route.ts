/** What a client needs to know of an operation to send it. */
export interface Route {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the origin on, with `{param}` for each path parameter. */
  readonly path: string
  readonly members: Readonly<Record<string, 'path' | 'query' | 'body' | 'either'>>
  readonly kind: 'json' | 'stream' | 'raw' | 'empty' | 'page' | 'browser'
  /** Bytes of a whole answer; 32 MiB when absent, and none for a raw one. */
  readonly maxAnswerBytes?: number | undefined
}

export type Input = Readonly<Record<string, unknown>>

/** An input that cannot be written as a request. */
export class InputError extends Error {
  override readonly name = 'InputError'
}

/** Throws InputError for a text that no header can carry, of which a platform would say that there is no gateway. */
export function requireHeaderText(name: string, value: string): void {
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    throw new InputError(`${name} must have no control characters and only those of ISO 8859-1`)
}

/** Throws InputError for what is no URL of a gateway. */
export function requireOrigin(baseUrl: string): void {
  const protocol = URL.canParse(baseUrl) ? new URL(baseUrl).protocol : undefined
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new InputError('baseUrl must be a URL such as https://gateway.fleet')
}

/** Path with query, and the body of a change. Throws InputError for a path parameter that no path can carry. */
export function writeRequest(
  route: Route,
  input: Input,
): { readonly target: string; readonly body: string | undefined } {
  const target = route.path.replace(/\{(\w+)\}/g, (_whole, name: string) => pathText(name, input[name]))
  const rest = Object.entries(input).filter(
    ([name, value]) => route.members[name] !== 'path' && value !== undefined,
  )
  const hasBody = route.method === 'POST' || route.method === 'PUT' || route.method === 'PATCH'
  if (hasBody) return { target, body: JSON.stringify(Object.fromEntries(rest)) }
  // The flags of a removal go into the query: some middlemen drop the body of a DELETE.
  const query = rest
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(plainText(value))}`)
    .join('&')
  return { target: query === '' ? target : `${target}?${query}`, body: undefined }
}

function pathText(name: string, value: unknown): string {
  const text = plainText(value)
  if (value === undefined || text === '') throw new InputError(`${name} is required`)
  // URL parsers take these as steps in the path even when they are escaped.
  if (text === '.' || text === '..') throw new InputError(`${name} cannot be ${text}`)
  return encodeURIComponent(text)
}

const plainText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
