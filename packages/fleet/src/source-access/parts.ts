import type { Store } from '@fleet/store'
import type { ServedSource } from '#/source-access/ports.ts'

export interface SourceAccessParts {
  readonly store: Pick<Store, 'locks'>
  readonly served: ServedSource
  /** Account of the web server; for tests on this machine. */
  readonly webServerAccount?: string
}
