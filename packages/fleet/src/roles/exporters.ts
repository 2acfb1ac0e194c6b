import type { RoleStep } from '#/nodes/api.ts'

/** Metrics that lag behind are told by Doctor; the role itself works, so this step never fails it. */
export const exporters = (work: () => Promise<void>): RoleStep => ({
  name: 'metrics-exporters',
  isOptional: true,
  run: work,
})
