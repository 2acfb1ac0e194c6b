import type { EcosystemName, ScanErrorCode } from '@fleet/contract'
import type { Generated } from 'kysely'
import type { Bit, Json } from '#/column-types.ts'

/** One version of a package, shared by every Instance that resolves it. */
interface DependencyPackagesTable {
  id: Generated<number>
  ecosystem: EcosystemName
  name: string
  version: string
  reference: string | null
  integrity: string | null
  /** Of the five columns before it: what makes two of them the same. */
  digest: string
}

/** The last successful scan of one ecosystem of an Instance. */
interface DependencyObservationsTable {
  id: Generated<number>
  instance_id: number
  ecosystem: EcosystemName
  observed_at: string
  project_root: string
  /** Branch of a checkout, or name of a release. */
  source_reference: string | null
  file_hashes: Json<Readonly<Record<string, string>>>
  /** Null when the ecosystem is absent; so is the next. */
  format: string | null
  /** Of the graph: an unchanged one is not stored again. */
  graph_digest: string | null
}

/** Apart from its observation, whose rows are read by the thousand. */
interface DependencyGraphsTable {
  observation_id: number
  /** Ids of the resolutions in their order, and the requirements: JSON, compressed, in base64. */
  graph: string
}

/** One resolution of an observation, by its position in the graph. */
interface DependencyResolutionsTable {
  observation_id: number
  position: number
  package_id: number
  regular: Bit
  development: Bit
  /** Position of what requires it on a shortest path from the root; -1 is the root, null when nothing reaches it. */
  required_by: number | null
}

/** The latest scan of one ecosystem of an Instance, whatever its outcome. */
interface DependencyAttemptsTable {
  instance_id: number
  ecosystem: EcosystemName
  attempted_at: string
  error_code: ScanErrorCode | null
  error_detail: string | null
}

export interface DependencyTables {
  dependency_packages: DependencyPackagesTable
  dependency_observations: DependencyObservationsTable
  dependency_graphs: DependencyGraphsTable
  dependency_resolutions: DependencyResolutionsTable
  dependency_attempts: DependencyAttemptsTable
}
