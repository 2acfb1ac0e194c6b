import type { RoleStep } from '#/nodes/api.ts'

/** Doctor reports metrics that are not up to date; the role itself works, so this step never fails it. */
export const exporters = (work: () => Promise<void>): RoleStep => ({
  name: 'metrics-exporters',
  isOptional: true,
  run: work,
})
