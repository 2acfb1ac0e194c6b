import { gunzipSync } from 'node:zlib'
import type { DoctorCode } from '@fleet/contract'
import { type Answer, MalformedOutput, ROOT_FILES, textFile } from '@fleet/shell'
import {
  asked,
  type Check,
  type CheckedResource,
  type Finding,
  type Question,
  readPrinted,
} from '#/nodes/api.ts'
import { MARKER, renderCaddyfile } from '#/web-server/caddyfile/render.ts'
import { type CaddyVersion, caddyVersionOf, featuresOf } from '#/web-server/caddyfile/version.ts'
import { nameOf, Unrenderable } from '#/web-server/rules.ts'
import { ROOT_FILE } from '#/web-server/service/caddy.ts'
import type { Site } from '#/web-server/site.ts'

/** The sites that a Node has now. */
export interface LiveSites {
  readonly caddy: CaddyVersion | undefined
  /** Each block with the comment before it, by the name in that. */
  readonly blocks: ReadonlyMap<string, string>
}

/** Defines `print_sites ROOT`, whose fields `readLiveSites` reads. */
export const PRINT_SITES = textFile('site.sh', import.meta.url)

/** Name of the block with the global options: the comment of the first line is theirs. */
const OPTIONS = MARKER.replace(/^# /, '')

const MAX_FILE_BYTES = 16 * 1024 * 1024

/** Throws MalformedOutput. */
export const readLiveSites = (answer: Answer): LiveSites => ({
  caddy: caddyVersionOf(answer.text('caddy')),
  blocks: blocksIn(unpacked(answer.text('sites'))),
})

function unpacked(text: string): string {
  if (text === '') return ''
  try {
    return gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: MAX_FILE_BYTES }).toString('utf8')
  } catch {
    throw new MalformedOutput('the live file is incomplete')
  }
}

const blocksIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(/^(?=# )/m).flatMap((part) => {
      const name = /^# (.*)$/m.exec(part)?.[1]
      const lines = part.split('\n').filter((line) => line.trim() !== '')
      return name === undefined ? [] : [[name, lines.join('\n')] as const]
    }),
  )

/** The same object for all sites of a Node: Doctor asks it once. */
export const liveSitesQuestion = (root = ''): Question<LiveSites> => ({
  source: [ROOT_FILES, PRINT_SITES, 'print_sites "$1"'].join('\n'),
  args: [root],
  read: (printed) => readPrinted(printed, readLiveSites),
})

/** The blocks that a Node is to have with this Caddy, by their names; undefined where no file can be rendered. */
export type PublishedSites = (caddy: CaddyVersion) => ReadonlyMap<string, string> | undefined

/**
 * What the web server publishes of the sites of a Node: sites of one Node depend on each other, so all are rendered, once for the
 * Caddy that is there.
 */
export function publishedSites(sites: readonly Site[]): PublishedSites {
  const known = new Map<string, ReturnType<PublishedSites>>()
  return (caddy) => {
    const version = `${caddy.major}.${caddy.minor}`
    if (!known.has(version)) known.set(version, rendered(sites, caddy))
    return known.get(version)
  }
}

/** Names of sites that may serve a Route on a Node; those that are not to be there are left out. */
export type SiteName = Parameters<typeof nameOf>[0]

/** How live sites differ from what is published now; undefined where they do not. */
export function judgeSites(
  names: readonly SiteName[],
  published: PublishedSites,
  { caddy, blocks }: LiveSites,
): Finding | undefined {
  if (!caddy) return { expected: 'built', observed: 'no web server' }
  const wanted = published(caddy)
  if (!wanted) return { expected: 'buildable', observed: 'refused' }
  const different = names
    .map(nameOf)
    .find((name) => wanted.has(name) && wanted.get(name) !== blocks.get(name))
  if (different === undefined) return undefined
  return { expected: 'built', observed: blocks.has(different) ? 'another site' : 'not built' }
}

/** Whether one of the sites differs in nothing but where its pool leads. */
export const leadElsewhere = (
  names: readonly SiteName[],
  published: PublishedSites,
  { caddy, blocks }: LiveSites,
): boolean =>
  names.map(nameOf).some((name) => {
    const [live, wanted] = [blocks.get(name), caddy && published(caddy)?.get(name)]
    if (live === undefined || wanted === undefined || live === wanted) return false
    return withoutUpstreams(live) === withoutUpstreams(wanted)
  })

/**
 * Whether Caddy obtains the certificate of a live site: a site may name a file instead, and the global options may switch that off for
 * all sites that do not insist. A site that is missing is no business of this.
 */
export function obtainsCertificate(
  name: SiteName,
  { blocks }: LiveSites,
): 'itself' | 'from a file' | 'never' {
  const block = blocks.get(nameOf(name))
  if (block === undefined || /^\ttls force_automate$/m.test(block)) return 'itself'
  if (/^\ttls \S+ \S+/m.test(block)) return 'from a file'
  return /^\tauto_https (?:off|disable_certs)$/m.test(blocks.get(OPTIONS) ?? '') ? 'never' : 'itself'
}

const withoutUpstreams = (block: string): string =>
  block.replaceAll(/^(\s*reverse_proxy) .*?(?= \{$|$)/gm, '$1')

function rendered(sites: readonly Site[], caddy: CaddyVersion): ReadonlyMap<string, string> | undefined {
  try {
    return blocksIn(renderCaddyfile(sites, { features: featuresOf(caddy), root: ROOT_FILE }))
  } catch (error) {
    if (error instanceof Unrenderable) return undefined
    throw error
  }
}

/** Whether the live file of the Node has the site as it is published now. */
export const siteCheck = (
  code: DoctorCode,
  resource: CheckedResource,
  site: { readonly name: SiteName; readonly published: PublishedSites },
  question: Question<LiveSites>,
): Check => asked(code, resource, question, (live) => judgeSites([site.name], site.published, live))
