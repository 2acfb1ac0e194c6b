import { block, type Entry, Raw } from '#/web-server/caddyfile/blocks.ts'
import type { CaddyFeatures } from '#/web-server/caddyfile/version.ts'
import { accessLogOf, AWAKE_MARKERS, type SiteHibernation } from '#/web-server/site.ts'

interface HibernationRendering {
  readonly features: CaddyFeatures
  readonly rootEntry: Entry
}

/** What a visitor sees while the gateway, which alone can wake the Instance, does not answer. */
const NO_GATEWAY =
  'This Instance sleeps, and the gateway of the fleet, which would wake it, does not answer. Try again in a minute.'

/** Requests of Fleet itself neither wake an Instance nor count as a visit (HIB-017). */
const PROBE: Entry = ['header', 'X-Fleet-Probe', '1']

/**
 * The time of the last visit is that of the access log. A visitor of an Instance that is not marked as awake gets what the
 * gateway answers, until that is a success (HIB-008, HIB-011, HIB-013).
 */
export const hibernationEntries = (
  { instanceId, gateway }: SiteHibernation,
  { features, rootEntry }: HibernationRendering,
): readonly Entry[] => [
  block(
    ['log'],
    [
      block(
        ['output', 'file', accessLogOf(instanceId)],
        [
          ['roll_size', '1MiB'],
          ['roll_keep', '1'],
        ],
      ),
      // Nobody reads it: what visitors send is not kept.
      block(
        ['format', 'filter'],
        [
          ['wrap', 'json'],
          block(
            ['fields'],
            [
              ['request', 'delete'],
              ['resp_headers', 'delete'],
            ],
          ),
        ],
      ),
    ],
  ),
  block(['@probe'], [PROBE]),
  [features.renamesLogSkip ? 'log_skip' : 'skip_log', '@probe'],
  block(['@asleep'], asleep(instanceId)),
  block(
    ['forward_auth', '@asleep', `https://${gateway}`],
    [
      ['uri', `/api/v1/runtime-activations/app-instance/${instanceId}`],
      ['header_up', 'Host', gateway],
      // What a visitor sends is for the Instance, not for the gateway.
      ...PRIVATE.map((name): Entry => ['header_up', `-${name}`]),
      block(['transport', 'http'], [['tls'], ['tls_server_name', gateway], rootEntry]),
    ],
  ),
  block(
    ['handle_errors'],
    [
      block(['@unwoken'], [['expression', new Raw('`{err.status_code} == 502`')], ...asleep(instanceId)]),
      ['respond', '@unwoken', NO_GATEWAY, '503'],
    ],
  ),
]

const PRIVATE = ['Authorization', 'Cookie', 'Origin', 'Referer'] as const

const asleep = (instanceId: number): readonly Entry[] => [
  block(['not'], [PROBE]),
  block(
    ['not'],
    [
      block(
        ['file'],
        [
          ['root', AWAKE_MARKERS],
          ['try_files', `/${instanceId}.awake`],
        ],
      ),
    ],
  ),
]
