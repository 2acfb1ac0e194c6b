import { block, type Entry, plainWord, Raw } from '#/web-server/caddyfile/blocks.ts'
import { type ClientRendering, FORGEABLE } from '#/web-server/caddyfile/client-address.ts'
import { refusals } from '#/web-server/caddyfile/refusals.ts'
import { BODY_REFUSED, UNSIZED } from '#/web-server/caddyfile/unsized.ts'
import type { CaddyFeatures } from '#/web-server/caddyfile/version.ts'
import type { FileSite, PoolSite, PoolTarget, SiteHandler, ToolPath } from '#/web-server/site.ts'

const HTTPS = 443
/** How long a server that refuses connections is left out of its pool (RTE-127). */
const EXCLUSION_SECONDS = 10
/** Streams of a configuration that was replaced live on for this long. */
const STREAM_HOURS = 1
/** What a visitor sees of a domain that nothing answers for (RTE-129). */
const UNAVAILABLE = 'Route unavailable'

interface HandlerSettings {
  readonly features: CaddyFeatures
  /** File with the root of the fleet. */
  readonly root: string
  readonly domain: string
  /** Names the site among those of its file. */
  readonly scope: string
  readonly client: ClientRendering
}

/** What a site does with its requests. */
export function handlerEntries(handler: SiteHandler, settings: HandlerSettings): readonly Entry[] {
  switch (handler.kind) {
    case 'files':
      return fileEntries(handler, settings)
    case 'proxy':
      return [
        block(['reverse_proxy', handler.upstream], [...addressEntries(settings), ...streamEntries(settings)]),
      ]
    case 'pool':
      return handler.targets.length === 0 ? [unavailable()] : poolEntries(handler, settings)
    case 'unavailable':
      return [unavailable()]
  }
}

const unavailable = (): Entry => ['respond', UNAVAILABLE, '503']

const streamEntries = ({ features }: HandlerSettings): readonly Entry[] =>
  features.keepsStreams ? [['stream_close_delay', `${STREAM_HOURS}h`]] : []

/** What an application hears of its visitor, in words that the visitor could not choose. */
const addressEntries = ({ client }: HandlerSettings): readonly Entry[] => [...FORGEABLE, ...client.headers]

const fileEntries = (site: FileSite, settings: HandlerSettings): readonly Entry[] => [
  ['root', '*', site.root],
  ['encode', 'zstd', 'gzip'],
  ...(site.cachesBuilds ? BUILD_CACHE : []),
  // `handle` comes before the next two in Caddy's own order.
  ...(site.tools ?? []).flatMap((tool) => toolBlocks(tool, settings)),
  ...refusals(site),
  ...phpEntries(site, settings),
  ['file_server'],
]

/**
 * The script has the path of its release, so that the next release is another script to PHP. A worker of PHP waits for ever for the
 * end of a body: one that a visitor does not send to its end is kept from it, and one without a length is measured, or refused where
 * Caddy cannot do that (decision 0311).
 */
const phpEntries = ({ php, isSwitched }: FileSite, settings: HandlerSettings): readonly Entry[] =>
  php === undefined
    ? []
    : [
        ...(settings.features.measuresBodies ? [] : UNSIZED_REFUSED),
        block(
          ['php_fastcgi', `unix/${php}`],
          [
            ...(isSwitched ? [['resolve_root_symlink']] : []),
            ...(settings.features.namesBuffers
              ? [['request_buffers', BUFFERED]]
              : [['buffer_requests'], ['max_buffer_size', BUFFERED]]),
            ...addressEntries(settings),
            ...settings.client.variables,
          ],
        ),
      ]

/** So much of a body is complete in memory before PHP hears of its request. */
const BUFFERED = '1MiB'
const UNSIZED_REFUSED: readonly Entry[] = [
  ['@unsized', ...UNSIZED],
  block(['route', '@unsized'], BODY_REFUSED),
]

const BUILD_CACHE: readonly Entry[] = [
  block(['@build'], [['path', '/build/assets/*'], ['file']]),
  ['header', '@build', 'Cache-Control', 'public, max-age=31536000, immutable'],
]

/** The first block that matches answers; `handle_path` would take the prefix off with it. */
function toolBlocks({ path, port, keepsPrefix }: ToolPath, settings: HandlerSettings): readonly Entry[] {
  const matcher = `@${path.split('/').at(-1) ?? ''}`
  return [
    [matcher, 'path', path, `${path}/*`],
    block(
      ['handle', matcher],
      [
        ...(keepsPrefix ? [] : [['uri', 'strip_prefix', path]]),
        block(
          ['reverse_proxy', `127.0.0.1:${port}`],
          [...settings.client.headers, ...streamEntries(settings)],
        ),
      ],
    ),
  ]
}

/** One that is left out is not asked. */
const MAX_FAILS: Entry = ['max_fails', '1']
const EXCLUSION: readonly Entry[] = [['fail_duration', `${EXCLUSION_SECONDS}s`], MAX_FAILS]

/** What a client of HTTP sends once more by itself where the server closed the connection before it heard of it. */
const REPEATABLE = ['GET', 'HEAD', 'OPTIONS', 'TRACE'] as const

/**
 * A connection that fails leaves its server out for a while, and nothing is sent twice. With one server left out, the
 * visitor sees the text; with all of them, an answer without a body. No two requests share a connection, and one that is not
 * repeated takes a fresh one: a server that loads its file closes those that are kept (decision 0308). A request with a body leaves
 * nobody out: Caddy counts a visitor who breaks his own as a failure of the server. What is repeatable has none.
 */
const poolEntries = (pool: PoolSite, settings: HandlerSettings): readonly Entry[] => [
  block(['@repeatable'], [['method', ...REPEATABLE], UNSIZED]),
  block(
    ['handle', '@repeatable'],
    [
      ...BODY_REFUSED,
      poolEntry(pool, settings, { excluding: pool.isOnlyWay ? [] : EXCLUSION, connections: [] }),
    ],
  ),
  // What fails while a body is sent may be the visitor's fault.
  block(
    ['handle'],
    [
      poolEntry(pool, settings, {
        excluding: pool.isOnlyWay ? [] : [MAX_FAILS],
        connections: [['keepalive', 'off']],
      }),
    ],
  ),
  block(
    ['handle_errors'],
    [
      ['@unreachable', 'expression', new Raw('`{err.status_code} == 502`')],
      ['respond', '@unreachable', UNAVAILABLE, '503'],
    ],
  ),
]

interface Sending {
  readonly excluding: readonly Entry[]
  readonly connections: readonly Entry[]
}

const poolEntry = (
  { targets, trust }: PoolSite,
  settings: HandlerSettings,
  { excluding, connections }: Sending,
): Entry =>
  block(
    ['reverse_proxy', ...targets.map((target) => addressOf(target, settings))],
    [
      ['lb_policy', 'round_robin'],
      ...excluding,
      ['header_up', 'Host', new Raw('{host}')],
      ...settings.client.headers,
      ...streamEntries(settings),
      block(
        ['transport', 'http'],
        [
          ['versions', '1.1'],
          ...connections,
          ['tls'],
          ['tls_server_name', settings.domain],
          ...(trust === 'system' ? [] : [rootEntry(settings)]),
        ],
      ),
    ],
  )

export const rootEntry = ({ features, root }: Pick<HandlerSettings, 'features' | 'root'>): Entry =>
  features.namesTrustPools ? ['tls_trust_pool', 'file', root] : ['tls_trusted_ca_certs', root]

/**
 * Caddy counts the failures of a server by the text of its address, over all sites of the file: a variable that nothing sets makes that
 * text the site's own, and adds nothing to the address (decision 0307).
 */
function addressOf(target: PoolTarget, { scope }: HandlerSettings): Raw {
  const own = `{vars.${plainWord(scope)}}`
  if (target.kind === 'unix') return new Raw(`unix/${plainWord(target.path)}${own}`)
  const host = `${plainWord(target.address)}${own}`
  return new Raw(`${target.address.includes(':') ? `[${host}]` : host}:${target.port ?? HTTPS}`)
}
