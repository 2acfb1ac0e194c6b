import { programOf, ROOT_FILES, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

/** Servers of a domain that a Node is to lead to. */
export interface ServersOfDomain {
  /** File with the root of the fleet. */
  readonly root: string
  readonly domain: string
  /** `10.44.0.7:443` */
  readonly servers: readonly string[]
}

/** Answers the first server that does not present a certificate of the fleet for the domain. */
export const verifyHops: NodeScript<ServersOfDomain, string | undefined> = {
  source: programOf(textFile('verify-hops.sh', import.meta.url), ROOT_FILES),
  args: ({ root, domain, servers }) => [root, domain, ...servers],
  timeoutSeconds: 120,
  reasons: {},
  broken: 'route.private_path_failed',
  read: (answer) => answer.text('failed') || undefined,
}
