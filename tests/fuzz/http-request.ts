import type { Chance } from './chance.ts'

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'CONNECT',
  'TRACE',
  'PRI',
  'QUERY',
] as const

const TARGETS = [
  '/',
  '//',
  '///',
  '/\\',
  '//[',
  '//a:b',
  '*',
  '',
  '?',
  '#',
  'http://',
  'http://[',
  'http://a:99999/',
  'https:x',
  '/%',
  '/%zz',
  '/%00',
  '/%ff%fe',
  '/../..',
  '/app/',
  '/app/app-key',
  '/app/app-key?protocol=7',
  '/app/app-key?protocol=%',
  '//app/app-key',
  '/app/app-key/?protocol=7&protocol=8',
  '/app/%E0%A4%A',
  '/up',
  '/metrics',
  '/apps/fleet/events?auth_key=app-key&auth_signature=x',
  '/apps//channels',
  '/apps/%/users',
  '/api/v1/nodes',
  '/api/v1/nodes/%',
  '/api/v1//',
  '/api/v1/nodes/1?a[]=1&__proto__=2',
  '/mcp',
  '/mcp/search',
  '/docs',
  '/openapi.json',
  '/healthz',
  '/shop.git/info/refs?service=git-upload-pack',
  '/shop.git/git-upload-pack',
] as const

const HEADERS: readonly [
  readonly [string, readonly [string, ...string[]]],
  ...(readonly [string, readonly [string, ...string[]]])[],
] = [
  [
    'host',
    ['gateway.fleet', 'localhost', '', 'a b', '[', '[::1', 'a:99999', 'a@b', '%', 'gateway.fleet:x', 'é'],
  ],
  ['connection', ['upgrade', 'Upgrade, keep-alive', 'close', 'keep-alive', ',']],
  ['upgrade', ['websocket', 'h2c', 'WebSocket, h2c', '', '\x01']],
  ['sec-websocket-key', ['dGhlIHNhbXBsZSBub25jZQ==', 'short', '', '\xff']],
  ['sec-websocket-version', ['13', '8', '0', 'x', '13, 8']],
  [
    'sec-websocket-extensions',
    ['permessage-deflate', ';;=', 'a; b="', 'permessage-deflate; client_max_window_bits=99'],
  ],
  ['sec-websocket-protocol', ['chat', ',,', 'a,a', '\xff']],
  ['origin', ['http://a', 'null', 'http://[', '//', '\xff', 'https://*']],
  ['expect', ['100-continue', '200-later', '']],
  ['transfer-encoding', ['chunked', 'gzip', 'chunked, chunked', 'x']],
  ['content-length', ['0', '2', '5', '-1', '99999999999999999999', 'x']],
  [
    'content-type',
    [
      'application/json',
      'a',
      '/',
      ';',
      'application/json; charset="',
      'text/plain',
      '\xff',
      'multipart/form-data',
    ],
  ],
  ['accept', ['*/*', 'application/x-ndjson', ';q=', ',', '\xff']],
  ['authorization', ['Bearer', 'Bearer x', 'Basic %', '\xff']],
  ['x-fleet-request-id', ['1', '\xff', '11111111-2222-3333-4444-555555555555']],
  ['sec-fetch-site', ['cross-site', 'none', '']],
  ['cookie', ['a=b', ';=;', '\xff']],
  ['http2-settings', ['AAMAAABkAAQAAP__', '!']],
  ['__proto__', ['x']],
]

const BODIES = [
  '',
  '{}',
  '{"a":',
  '5\r\nhello\r\n0\r\n\r\n',
  'ffffffffffffffff\r\n',
  '0\r\n\r\nGET // HTTP/1.1\r\n\r\n',
  '\x81\x05hello',
] as const

/** One of the well-known values, or bytes of any kind. */
const oneOf = (chance: Chance, known: readonly [string, ...string[]]): string =>
  chance.isOneIn(6) ? chance.latin(40) : chance.pick(known)

export interface FuzzedRequest {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
}

/** A request whose parts are each right, nearly right or nonsense. Every other one asks for a WebSocket. */
export function fuzzedRequest(chance: Chance): FuzzedRequest {
  const headers = Array.from({ length: chance.below(6) }, () => {
    const [name, values] = chance.pick(HEADERS)
    return [chance.isOneIn(12) ? chance.latin(12) : name, oneOf(chance, values)] as const
  })
  const upgrade: readonly (readonly [string, string])[] = [
    ['host', 'gateway.fleet'],
    ['connection', 'upgrade'],
    ['upgrade', 'websocket'],
    ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
    ['sec-websocket-version', '13'],
  ]
  const isUpgrade = chance.isOneIn(2)
  // A gateway refuses a foreign host before it looks at anything else.
  const host = chance.isOneIn(4) ? [] : ([['host', 'gateway.fleet']] as const)
  return {
    method: isUpgrade ? 'GET' : oneOf(chance, METHODS),
    target: oneOf(chance, TARGETS),
    headers: isUpgrade ? [...upgrade, ...headers.slice(0, 2)] : [...host, ...headers],
    body: oneOf(chance, BODIES),
  }
}

/** The request as HTTP/1.1 has it, now and then with another version or cut off. */
export function http1Bytes(chance: Chance): Buffer {
  if (chance.isOneIn(25)) return chance.bytes(200)
  const { method, target, headers, body } = fuzzedRequest(chance)
  const version = chance.isOneIn(12)
    ? chance.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '', '\xff'])
    : 'HTTP/1.1'
  const lines = [`${method} ${target} ${version}`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1')
  return chance.isOneIn(12) ? bytes.subarray(0, chance.below(bytes.length)) : bytes
}
