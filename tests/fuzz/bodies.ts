import type { Chance } from './chance.ts'

const VALUES = [
  'null',
  '1e999',
  '-0',
  '"\\ud800"',
  '"\\u0000"',
  '[]',
  '{}',
  '"tools/call"',
  '"tools/list"',
  '"initialize"',
  '{"name":"cluster_create","arguments":null}',
  '{"name":"cluster_create","arguments":{"name":["x"]}}',
  '{"name":"__proto__"}',
  '{"name":"node_list","arguments":{"__proto__":{"a":1}}}',
  '{"cursor":"x"}',
  '{"protocolVersion":{}}',
  '9007199254740993',
  'true',
] as const
const MEMBERS = ['jsonrpc', 'id', 'method', 'params', '__proto__', 'constructor', 'result', 'error'] as const

/** A message of JSON-RPC, right, nearly right or nonsense. */
export function rpcBody(chance: Chance): string {
  if (chance.isOneIn(12)) return chance.latin(60)
  if (chance.isOneIn(25)) return '['.repeat(5000)
  const method = chance.pick([
    'tools/call',
    'tools/list',
    'initialize',
    'ping',
    'notifications/initialized',
    'x',
  ])
  const right = [`"jsonrpc":"2.0"`, `"id":${chance.below(9)}`, `"method":"${method}"`]
  const members = chance.isOneIn(4) ? [] : right
  const odd = Array.from(
    { length: chance.below(4) },
    () => `"${chance.pick(MEMBERS)}":${chance.pick(VALUES)}`,
  )
  const message = `{${[...members, ...odd].join(',')}}`
  return chance.isOneIn(6) ? `[${message},${message}]` : message
}

const SIZES = [
  '5',
  '5;a=b',
  '05',
  ' 5',
  '5 ',
  '0x5',
  '-5',
  'fffffffffffffffff',
  '',
  'g',
  '5\t',
  '+5',
  '5;\r\n',
] as const
const ENDS = ['\r\n', '\n', '\r', ''] as const

/** A request whose body comes in chunks as no client sends them. */
export function chunkedBytes(chance: Chance): Buffer {
  const framing = chance.pick([
    'transfer-encoding: chunked',
    'transfer-encoding: chunked\r\ncontent-length: 5',
    'transfer-encoding: chunked\r\ntransfer-encoding: chunked',
    'transfer-encoding : chunked',
    'transfer-encoding: xchunked',
    'transfer-encoding: chunked, identity',
    'content-length: 5\r\ncontent-length: 6',
  ])
  const chunks = Array.from(
    { length: chance.below(5) },
    () => chance.pick(SIZES) + chance.pick(ENDS) + '{"a":' + chance.pick(ENDS),
  )
  const trailer = chance.pick([
    '',
    'a: b\r\n',
    'content-length: 9\r\n',
    `x: ${'y'.repeat(20_000)}\r\n`,
    '\0\r\n',
  ])
  const path = chance.pick(['/api/v1/clusters', '/mcp', '/mcp/search', '/api/v1/broadcasting/auth'])
  const head = `POST ${path} HTTP/1.1\r\nhost: gateway.fleet\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`
  return Buffer.from(`${head}${chunks.join('')}0\r\n${trailer}\r\n`, 'latin1')
}

/** A head with very many fields, or one that is very long. */
export function floodedHead(chance: Chance): Buffer {
  const many = Array.from(
    { length: chance.pick([90, 900, 2500]) },
    (_, index) => `x-${index}: ${chance.below(9)}`,
  )
  const long = [`x: ${'a'.repeat(chance.pick([9000, 17_000, 70_000]))}`, `${'b'.repeat(20_000)}: x`]
  const fields = chance.isOneIn(2) ? many : chance.isOneIn(2) ? long : long.slice(0, 1)
  return Buffer.from(`GET /healthz HTTP/1.1\r\nhost: gateway.fleet\r\n${fields.join('\r\n')}\r\n\r\n`)
}
