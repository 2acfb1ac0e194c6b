import { block, type Entry, renderEntries } from '#/web-server/caddyfile/blocks.ts'
import { handlerEntries } from '#/web-server/caddyfile/handlers.ts'
import type { CaddyFeatures } from '#/web-server/caddyfile/version.ts'
import { nameOf, settleSites } from '#/web-server/rules.ts'
import type { Site } from '#/web-server/site.ts'

/** First line of every file of Fleet's; one that begins otherwise is somebody else's (RTX-077, RTX-078). */
export const MARKER = '# Managed by Fleet: a build of this Node. Changes made here are replaced.'

/** Requests that began before a reload may take this long to end. */
const GRACE_SECONDS = 30

export interface CaddySettings {
  readonly features: CaddyFeatures
  /** File with the root of the fleet. */
  readonly root: string
}

/**
 * The file of one Node with every site of every role: no imports, no order but its own (RTX-076, RTX-079). Throws
 * SiteConflict and UnsafeWord.
 */
export function renderCaddyfile(sites: readonly Site[], settings: CaddySettings): string {
  const settled = settleSites(sites)
  const blocks = settled.map((site) => `\n${renderSite(site, settings)}`)
  return `${MARKER}\n${renderEntries([optionsBlock(settled, settings)])}${blocks.join('')}`
}

/** The block of one site alone, with the comment before it. Throws UnsafeWord. */
export const renderSite = (site: Site, settings: CaddySettings): string =>
  `# ${nameOf(site)}\n${renderEntries([siteBlock(site, settings)])}`

const optionsBlock = (sites: readonly Site[], { features }: CaddySettings): Entry =>
  block(
    [],
    [
      // An older Caddy cannot make an exception for one site; it leaves those alone that have a leaf.
      ...(features.forcesAutomation || !sites.some(isAutomatic) ? [['auto_https', 'disable_certs']] : []),
      ['order', 'abort', 'first'],
      ['grace_period', `${GRACE_SECONDS}s`],
      features.countsHosts ? block(['metrics'], [['per_host']]) : block(['servers'], [['metrics']]),
    ],
  )

function siteBlock(site: Site, settings: CaddySettings): Entry {
  const { domain, listener, handler } = site
  const port = listener.kind === 'tcp' && listener.port !== undefined ? `:${listener.port}` : ''
  return block(
    [`https://${domain}${port}`],
    [
      ['bind', ...(listener.kind === 'tcp' ? listener.addresses : [`unix/${listener.path}`])],
      ...guardEntries(site),
      ...tlsEntries(site, settings),
      ...handlerEntries(handler, { ...settings, domain }),
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
