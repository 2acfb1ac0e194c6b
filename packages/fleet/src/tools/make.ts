import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { makeEnsureApt, type ToolManagers } from '#/tools/apt-manager.ts'

export interface ToolsParts {
  readonly store: Store
  readonly clock: Clock
}

export interface ToolsDomain {
  readonly toolManagers: ToolManagers
}

export const makeTools = (parts: ToolsParts): ToolsDomain => ({
  toolManagers: { ensureApt: makeEnsureApt(parts) },
})
