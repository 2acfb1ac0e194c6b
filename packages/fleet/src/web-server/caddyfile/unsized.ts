import { block, type Entry, type Line, Raw } from '#/web-server/caddyfile/blocks.ts'

/** Says nothing of how long its body is: it has none, or one that ends somewhere. */
export const UNSIZED: Line = ['not', 'header', 'Content-Length', '*']

const LENGTH_REQUIRED = 'A request with a body needs a Content-Length here.'

/**
 * In a block of unsized requests: what has a body goes no further, and what has none is not changed. Caddy before 2.9 shows neither
 * how a body is sent nor whether there is one, so its first byte is read, and nothing else is kept of it (decision 0311).
 */
export const BODY_REFUSED: readonly Entry[] = [
  block(['request_body'], [['max_size', '1']]),
  ['@body', 'expression', new Raw("`{http.request.body} != ''`")],
  ['respond', '@body', LENGTH_REQUIRED, '411'],
]
