import type { InstanceData } from '@fleet/contract'
import type { RunningFleet } from '#/fleet.ts'
import type { Stage } from './stage.ts'
import { timed } from './timed.ts'

/** Browsers look for it on this machine, whatever the DNS says. */
const DOMAIN = 'shop.localhost'
const WEB_ROOT = 'public'

/** Where the sample is in a browser; undefined without a web server. */
export const pageOf = ({ web }: Pick<RunningFleet, 'web'>): string | undefined =>
  'port' in web ? `https://${DOMAIN}:${web.port}/` : undefined

/** The page of the checkout, served by the web server of the Node from the file that a machine would get. */
export async function showPage(
  { client, clock, fleet, screen, stopping }: Stage,
  instance: InstanceData,
): Promise<void> {
  const page = pageOf(fleet)
  if (page === undefined) {
    const why = 'problem' in fleet.web ? fleet.web.problem : ''
    screen.line(`  Page: none, because ${why}. With it, the sample would also be a site in a browser.`)
    return
  }
  const input = { domain: DOMAIN, instance_id: instance.id, web_root: WEB_ROOT }
  const { value, milliseconds } = await timed(clock, () =>
    client.call('route:create', input, { signal: stopping }),
  )
  screen.done(
    'Page',
    `${page} is ${value.data.status}, served by Caddy on ${instance.node.name}`,
    milliseconds,
    [`with a certificate of the fleet: curl --cacert ${fleet.caFile} ${page}`],
  )
}
