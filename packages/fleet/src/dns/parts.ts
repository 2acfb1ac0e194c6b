import type { Store } from '@fleet/store'
import type { RouteNames } from '#/dns/ports.ts'
import type { DnsPlace } from '#/dns/release.ts'
import type { Network } from '#/network/api.ts'
import { EXECUTABLE_PLACE, type ExecutablePlace, type NodeExecutables, type Nodes } from '#/nodes/api.ts'

export interface DnsParts {
  readonly store: Store
  readonly nodes: Pick<Nodes, 'find' | 'machines'>
  readonly network: Pick<Network, 'settings' | 'leaving'>
  readonly routes: RouteNames
  readonly executables: NodeExecutables
  /** Folders of the machine; for tests on this one. */
  readonly places?: { readonly dns: DnsPlace; readonly executable: ExecutablePlace }
}

export const placesOf = ({ places }: Pick<DnsParts, 'places'>): NonNullable<DnsParts['places']> =>
  places ?? { dns: { root: '' }, executable: EXECUTABLE_PLACE }
