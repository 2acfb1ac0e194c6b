import { Secret } from '@fleet/kernel'
import { ROOT_FILES, textFile } from '@fleet/shell'
import { DNS_UNITS } from '#/dns/service/release.ts'
import { DNS_LOCK, RESOLVER_FILES } from '#/dns/service/dns.ts'
import { UNIT_REPORT } from '#/managed-services/api.ts'
import type { NodeScript } from '#/nodes/api.ts'

export interface Publication {
  readonly text: string
  /** SHA-256 of the text in hex. */
  readonly sha256: string
  /** Root folder of the Node; empty but in tests. */
  readonly root: string
}

const LIBRARY = [ROOT_FILES, `names='${DNS_UNITS.join(' ')}'`, textFile('catalog.sh', import.meta.url)].join(
  '\n',
)

/**
 * Makes the text the catalog and waits until the listener has loaded it; what it does not load gives way to the earlier one
 * (RTX-105). One round trip, also when nothing changes.
 */
export const publishCatalog: NodeScript<Publication, 'changed' | 'unchanged'> = {
  source: ['# publish private names', LIBRARY, textFile('publish.sh', import.meta.url)].join('\n'),
  args: ({ root, sha256 }) => [root, sha256, DNS_LOCK.seconds],
  stdin: ({ text }) => new Secret(text),
  timeoutSeconds: 60,
  reasons: {
    not_installed: 'dns.not_installed',
    busy: 'dns.busy',
    start_failed: 'dns.start_failed',
    write_failed: 'dns.write_failed',
    unconfirmed: 'dns.unconfirmed',
  },
  broken: 'dns.publication_failed',
  read: (answer) => answer.word('published', ['changed', 'unchanged']),
}

/** What Doctor asks: `running`, the digests of the catalog and of the one that is loaded, and the resolvers. */
export const CATALOG_QUESTION: string = [
  LIBRARY,
  UNIT_REPORT,
  RESOLVER_FILES,
  textFile('question.sh', import.meta.url),
].join('\n')
