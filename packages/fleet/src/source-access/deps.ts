import type { Store } from '@fleet/store'
import type { ServedSource } from '#/source-access/ports.ts'

export interface SourceAccessDeps {
  readonly store: Pick<Store, 'locks'>
  readonly served: ServedSource
  /** Account of the web server. Empty where it runs as the user to whom the checkouts belong: then nothing has to be granted. */
  readonly webServerAccount?: string
}
