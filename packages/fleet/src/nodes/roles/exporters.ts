import type { RoleStep } from '#/nodes/ports.ts'
import { succeeds } from '#/nodes/roles/subject.ts'

/** Metrics that lag behind are told by Doctor; the role itself works, so this step never fails it. */
export const exporters = (work: () => Promise<void>): RoleStep => ({
  name: 'metrics-exporters',
  run: async ({ call }) => void (await succeeds(call, 'metrics exporters', work)),
})
