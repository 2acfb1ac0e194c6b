import type { RouteStatus } from './records.ts'

export interface RouteStatusRule {
  /** Serving and authoritative. */
  readonly isServing: boolean
  /** Doctor expects a Route to end up active (RTE-043). */
  readonly isSettled: boolean
  readonly summary: string
}

/** What each status of a Route means (RTE-018). */
export const routeStatusRules = {
  pending: { isServing: false, isSettled: false, summary: 'Reserved; it is not served yet.' },
  activating: { isServing: false, isSettled: false, summary: 'It is being set up.' },
  active: { isServing: true, isSettled: true, summary: 'It answers.' },
  retiring: { isServing: false, isSettled: false, summary: 'It is being removed.' },
  failed: {
    isServing: false,
    isSettled: false,
    summary: 'A step failed; `failed_step` and `error_code` name it.',
  },
} as const satisfies Record<RouteStatus, RouteStatusRule>
