import type { DoctorCode } from '@fleet/contract'
import { ROOT_FILES, textFile } from '@fleet/shell'
import { asked, type Check, type CheckedResource, type Question, readPrinted } from '#/nodes/api.ts'
import { renderSite } from '#/web-server/caddyfile/render.ts'
import { type CaddyVersion, caddyVersionOf, featuresOf } from '#/web-server/caddyfile/version.ts'
import { nameOf } from '#/web-server/rules.ts'
import { ROOT_FILE } from '#/web-server/service/caddy.ts'
import type { Site } from '#/web-server/site.ts'

interface LiveBlock {
  readonly caddy: CaddyVersion | undefined
  /** Empty where the live file does not have it. */
  readonly block: string
}

const liveBlock = (root: string, site: Site): Question<LiveBlock> => ({
  source: [ROOT_FILES, textFile('site.sh', import.meta.url)].join('\n'),
  args: [root, nameOf(site)],
  read: (printed) =>
    readPrinted(printed, (answer) => {
      return { caddy: caddyVersionOf(answer.text('caddy')), block: answer.text('block') }
    }),
})

/** Whether the live file of the Node has the site as it is rendered now. */
export const siteCheck = (code: DoctorCode, resource: CheckedResource, site: Site, root = ''): Check =>
  asked(code, resource, liveBlock(root, site), ({ caddy, block }) => {
    if (!caddy) return { expected: 'built', observed: 'no web server' }
    const wanted = renderSite(site, { features: featuresOf(caddy), root: ROOT_FILE }).trimEnd()
    if (block === wanted) return undefined
    return { expected: 'built', observed: block === '' ? 'not built' : 'another site' }
  })
