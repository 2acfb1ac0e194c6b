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
import { renderSite } from '#/web-server/caddyfile/render.ts'
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

/** How the live block of a site differs from a rendering of now; undefined where it does not. */
export function judgeSite(site: Site, { caddy, blocks }: LiveSites): Finding | undefined {
  if (!caddy) return { expected: 'built', observed: 'no web server' }
  const block = blocks.get(nameOf(site))
  if (block === undefined) return { expected: 'built', observed: 'not built' }
  return block === rendered(site, caddy) ? undefined : { expected: 'built', observed: 'another site' }
}

/** Whether the site of a pool differs in nothing but where it leads. */
export function leadsElsewhere(site: Site, { caddy, blocks }: LiveSites): boolean {
  const [live, wanted] = [blocks.get(nameOf(site)), caddy && rendered(site, caddy)]
  if (live === undefined || wanted === undefined || live === wanted) return false
  return withoutUpstreams(live) === withoutUpstreams(wanted)
}

const withoutUpstreams = (block: string): string => block.replaceAll(/^(\s*reverse_proxy)\s[^{\n]*/gm, '$1 ')

function rendered(site: Site, caddy: CaddyVersion): string | undefined {
  try {
    return renderSite(site, { features: featuresOf(caddy), root: ROOT_FILE }).trimEnd()
  } catch (error) {
    if (error instanceof Unrenderable) return undefined
    throw error
  }
}

/** Whether the live file of the Node has the site as it is rendered now. */
export const siteCheck = (
  code: DoctorCode,
  resource: CheckedResource,
  site: Site,
  question: Question<LiveSites>,
): Check => asked(code, resource, question, (live) => judgeSite(site, live))
