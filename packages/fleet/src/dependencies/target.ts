import { posix } from 'node:path'
import { fail } from '@fleet/contract'
import type { SourcePlace } from '#/dependencies/commands/collect-files.ts'
import type { SelectedReleases } from '#/dependencies/ports.ts'
import type { InstanceRecord } from '#/instances/api.ts'
import { identityOf } from '#/nodes/api.ts'

/** The directory of an Instance that is read, and what it is a state of. */
export interface ProjectSource {
  readonly place: SourcePlace
  /** Branch of a checkout, or name of a release. */
  readonly reference: string | null
}

/** Throws `dependencies.instance_unavailable` and `node.not_active`. */
export function requireAvailable({ status, node }: InstanceRecord): void {
  if (status !== 'active') throw fail('dependencies.instance_unavailable', { details: { status } })
  if (node.status !== 'active') throw fail('node.not_active', { details: { node: identityOf(node) } })
}

/** Repository-relative directory that is read; empty for the root. */
export const directoryBelow = ({ profile }: Pick<InstanceRecord, 'profile'>): string =>
  profile && profile.framework !== null ? profile.applicationDirectory : ''

/**
 * The application directory of a framework Instance, else the root of the repository (DEP-003 to DEP-006). Undefined for a
 * production Instance without a selected release (DEP-053).
 */
export async function sourceOf(
  releases: SelectedReleases,
  instance: InstanceRecord,
): Promise<ProjectSource | undefined> {
  const below = directoryBelow(instance)
  if (instance.environment === 'development') {
    const place = { user: instance.node.user, directory: posix.join(instance.checkout_path, below) }
    return { place, reference: instance.selected_branch }
  }
  const release = await releases.selected(instance.id)
  const { production_user: user, production_home: home } = instance
  if (release === undefined || user === null || home === null) return undefined
  return { place: { user, directory: posix.join(home, 'releases', release, below) }, reference: release }
}
