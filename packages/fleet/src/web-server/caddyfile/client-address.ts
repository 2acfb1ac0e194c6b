import { block, type Entry, type Line, Raw } from '#/web-server/caddyfile/blocks.ts'
import type { Site, SiteHandler } from '#/web-server/site.ts'

/** Whose address a site with servers of the fleet before it tells its applications. */
const CLIENT = new Raw('{vars.client_address}')
const FORWARDED_FOR = 'X-Forwarded-For'
/** A caller on a socket of the Node that is no server of the fleet. */
const LOOPBACK = '127.0.0.1'

/** What a site says of the client to whatever it leads to. */
export interface ClientRendering {
  /** Further lines of a `reverse_proxy` and of a `php_fastcgi`. */
  readonly headers: readonly Entry[]
  /** Further lines of a `php_fastcgi` alone. */
  readonly variables: readonly Entry[]
}

/** Others lead visitors to the site: what they say of the client counts. Everybody may, on a socket of the Node (RTX-056). */
const isForwarded = ({ listener, trusts = [] }: Site): boolean =>
  listener.kind === 'unix' || trusts.length > 0

/** Before the handlers: the address of the connection, or the one that a trusted server of the fleet gives for it. */
export function clientEntries(site: Site): readonly Entry[] {
  const { listener, trusts = [], handler } = site
  if (!isForwarded(site) || !hasApplication(handler)) return []
  const isGiven: Line = ['header', FORWARDED_FOR, '*']
  return [
    ['vars', 'client_address', listener.kind === 'unix' ? LOOPBACK : new Raw('{remote_host}')],
    listener.kind === 'unix'
      ? ['@forwarded', ...isGiven]
      : block(['@forwarded'], [['remote_ip', ...[...new Set(trusts)].toSorted()], isGiven]),
    ['vars', '@forwarded', 'client_address', new Raw(`{header.${FORWARDED_FOR}}`)],
  ]
}

/** Something behind it may ask who the client is. */
function hasApplication(handler: SiteHandler): boolean {
  if (handler.kind === 'files') return handler.php !== undefined || (handler.tools ?? []).length > 0
  return handler.kind === 'proxy' || (handler.kind === 'pool' && handler.targets.length > 0)
}

/** One address, never a chain: whichever end of a list an application believes, it is the client. */
export const clientRendering = (site: Site): ClientRendering => ({
  headers: [
    ...(isForwarded(site) ? [['header_up', FORWARDED_FOR, CLIENT]] : []),
    // Caddy says neither for a connection that has no address.
    ...(site.listener.kind === 'unix'
      ? ['X-Forwarded-Proto', 'X-Forwarded-Host'].map((name) => [
          'header_up',
          name,
          new Raw(`{header.${name}}`),
        ])
      : []),
  ],
  variables: isForwarded(site) ? ['REMOTE_ADDR', 'REMOTE_HOST'].map((name) => ['env', name, CLIENT]) : [],
})

/** Spellings of such headers that an application reads as the same ones: PHP knows neither a hyphen nor a dot in a name. */
const MISSPELT = ['X_Forwarded*', 'X-Forwarded_*', 'X.Forwarded*', 'X-Forwarded.*'] as const
/** Others that an application may believe, and that no server of the fleet says. */
const UNSAID = ['X-Forwarded-Port', 'X-Forwarded-Prefix', 'Forwarded', 'X-Real-Ip'] as const
/** What a visitor must not say of himself. */
export const FORGEABLE: readonly Entry[] = [...MISSPELT, ...UNSAID].map((name) => ['header_up', `-${name}`])
