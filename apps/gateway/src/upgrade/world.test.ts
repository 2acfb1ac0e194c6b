import type { UpgradeState } from './state.ts'

/** An upgrade that has just begun. */
export const begun: UpgradeState = {
  id: '00000000-0000-4000-8000-000000000001',
  from: 'v1',
  to: 'v2',
  started_at: '2026-01-02T03:04:05.000Z',
  phase: 'forward',
  step: 'begin',
  snapshot: null,
  reason: null,
}
