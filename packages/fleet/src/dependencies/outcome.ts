import type { EcosystemName, ScanErrorCode } from '@fleet/contract'
import type { Graph } from '@fleet/lockfiles'

/** How the scan of one ecosystem ended. */
export type Outcome =
  | {
      readonly kind: 'observed'
      readonly projectRoot: string
      readonly reference: string | null
      /** SHA-256 of the files that the graph was read from, by name. */
      readonly hashes: Readonly<Record<string, string>>
      readonly format: string | null
      /** Undefined when the ecosystem is absent (DEP-029). */
      readonly graph: Graph | undefined
    }
  | { readonly kind: 'failed'; readonly code: ScanErrorCode; readonly detail: string }

export type Outcomes = Readonly<Record<EcosystemName, Outcome>>

export const failed = (code: ScanErrorCode, detail: string): Outcome => ({ kind: 'failed', code, detail })

/** The same failure of both ecosystems. */
export const bothFailed = (code: ScanErrorCode, detail: string): Outcomes => {
  const outcome = failed(code, detail)
  return { composer: outcome, npm: outcome }
}
