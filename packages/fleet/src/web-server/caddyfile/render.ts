import { block, type Entry, Raw, renderEntries } from '#/web-server/caddyfile/blocks.ts'
import { clientEntries, clientRendering } from '#/web-server/caddyfile/client-address.ts'
import { handlerEntries, rootEntry } from '#/web-server/caddyfile/handlers.ts'
import { hibernationEntries } from '#/web-server/caddyfile/hibernation.ts'
import type { CaddyFeatures } from '#/web-server/caddyfile/version.ts'
import { nameOf, settleSites } from '#/web-server/rules.ts'
import type { Site } from '#/web-server/site.ts'

/** First line of every file of Fleet's; one that begins otherwise is somebody else's (RTX-077, RTX-078). */
export const MARKER = '# Managed by Fleet: a build of this Node. Changes made here are replaced.'

/** Requests that began before a reload may take this long to end. */
const GRACE_SECONDS = 30
/** Whoever connects says within this time what he wants: by itself, Caddy 2.6 keeps a silent connection for ever. */
const HEADER_TIME = '1m'

export interface CaddySettings {
  readonly features: CaddyFeatures
  /** File with the root of the fleet. */
  readonly root: string
  /** Directory of the ACME server that issues public certificates; the server's own choice when absent (RTX-055). */
  readonly acmeDirectory?: string | undefined
  /** Control socket of a server that is no service of its machine, and does not have its port 80 either. */
  readonly control?: string
}

/**
 * The file of one Node with every site of every role: no imports, no order but its own (RTX-076, RTX-079). Throws
 * SiteConflict and UnsafeWord.
 */
export function renderCaddyfile(sites: readonly Site[], settings: CaddySettings): string {
  const settled = settings.features.forcesAutomation ? settleSites(sites) : settleSites(withoutRivals(sites))
  const blocks = settled.map((site) => `\n${renderSite(site, settings)}`)
  return `${MARKER}\n${renderEntries([optionsBlock(settled, settings)])}${blocks.join('')}`
}

/** The block of one site alone, with the comment before it. Throws UnsafeWord. */
const renderSite = (site: Site, settings: CaddySettings): string =>
  `# ${nameOf(site)}\n${renderEntries([siteBlock(site, settings), ...(hasPlainBlock(site, settings) ? [plainBlock(site)] : [])])}`

/**
 * An older Caddy obtains no certificate for a domain of which it has another one already: there the public site takes the place of
 * the others.
 */
function withoutRivals(sites: readonly Site[]): readonly Site[] {
  const automatic = new Map(sites.filter(isAutomatic).map((site) => [site.domain, site]))
  return sites.flatMap((site) => {
    const winner = automatic.get(site.domain)
    if (!winner) return [site]
    if (winner !== site) return []
    const addresses = sites.flatMap(({ domain, listener }) =>
      domain === site.domain && listener.kind === 'tcp' ? listener.addresses : [],
    )
    const trusts = sites.flatMap((one) => (one.domain === site.domain ? (one.trusts ?? []) : []))
    return [{ ...site, listener: { kind: 'tcp', addresses: [...new Set(addresses)] }, trusts }]
  })
}

function optionsBlock(sites: readonly Site[], { features, acmeDirectory, control }: CaddySettings): Entry {
  const isPublic = sites.some(isAutomatic)
  const servers: readonly Entry[] = [
    ...(features.countsHosts ? [] : [['metrics']]),
    // One process cannot have a UDP port at every address and at one of them; the firewall opens none of them.
    ...(isPublic ? [['protocols', 'h1', 'h2']] : []),
    block(['timeouts'], [['read_header', HEADER_TIME]]),
  ]
  return block(
    [],
    [
      ...(control === undefined ? [] : [['admin', control]]),
      // An older Caddy cannot make an exception for one site; it leaves those alone that have a leaf.
      ...(features.forcesAutomation || !isPublic
        ? [['auto_https', control === undefined ? 'disable_certs' : 'off']]
        : []),
      ...(isPublic && acmeDirectory !== undefined ? [['acme_ca', acmeDirectory]] : []),
      ['order', 'abort', 'first'],
      ['grace_period', `${GRACE_SECONDS}s`],
      ...(features.countsHosts ? [block(['metrics'], [['per_host']])] : []),
      block(['servers'], servers),
    ],
  )
}

/** By itself Caddy 2.6 redirects at one address of several, and answers the proof of a public certificate there (decision 0193). */
function hasPlainBlock({ tls, listener }: Site, { control }: CaddySettings): boolean {
  if (tls.kind === 'automatic') return true
  if (control !== undefined || listener.kind !== 'tcp') return false
  return listener.port === undefined && listener.addresses.length > 1
}

/** Port 80 of a site: everything but the proof for a public certificate goes to HTTPS. */
const plainBlock = (site: Site): Entry =>
  block(
    [`http://${site.domain}`],
    [
      ['bind', ...(site.listener.kind === 'tcp' ? site.listener.addresses : [])],
      ...guardEntries(site),
      ['redir', new Raw('https://{host}{uri}'), '308'],
    ],
  )

function siteBlock(site: Site, settings: CaddySettings): Entry {
  const { domain, scope, listener, handler, hibernation } = site
  const port = listener.kind === 'tcp' && listener.port !== undefined ? `:${listener.port}` : ''
  return block(
    [`https://${domain}${port}`],
    [
      ['bind', ...(listener.kind === 'tcp' ? listener.addresses : [`unix/${listener.path}`])],
      ...guardEntries(site),
      ...tlsEntries(site, settings),
      ...(hibernation
        ? hibernationEntries(hibernation, { ...settings, rootEntry: rootEntry(settings) })
        : []),
      ...clientEntries(site),
      ...handlerEntries(handler, { ...settings, domain, scope, client: clientRendering(site) }),
    ],
  )
}

/** Before any handler: whoever comes from elsewhere gets no answer at all. */
const guardEntries = ({ admits }: Site): readonly Entry[] =>
  admits
    ? [
        ['@outside', 'not', 'remote_ip', ...admits],
        ['abort', '@outside'],
      ]
    : []

const tlsEntries = ({ tls }: Site, { features }: CaddySettings): readonly Entry[] => {
  if (tls.kind === 'leaf') return [['tls', tls.file, tls.file]]
  return features.forcesAutomation ? [['tls', 'force_automate']] : []
}

const isAutomatic = ({ tls }: Site): boolean => tls.kind === 'automatic'
