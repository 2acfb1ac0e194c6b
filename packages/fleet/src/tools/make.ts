import { makeEnsureApt, type ToolManagers } from '#/tools/apt-manager.ts'
import type { ToolsParts } from '#/tools/parts.ts'

export interface ToolsDomain {
  readonly toolManagers: ToolManagers
}

export const makeTools = (parts: ToolsParts): ToolsDomain => ({
  toolManagers: { ensureApt: makeEnsureApt(parts) },
})
