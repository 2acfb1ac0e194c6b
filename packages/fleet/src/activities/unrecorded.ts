import type { OpenActivity } from '#/activities/api.ts'

/** For what machines of the fleet ask on their own, often and without end: nothing is stored (AGT-001). */
export const unrecorded: OpenActivity = {
  note: { target: () => {}, subject: () => {}, property: () => {}, exitCode: () => {} },
  caller: () => {},
  begin: () => Promise.resolve(),
  succeed: () => Promise.resolve(),
  fail: () => Promise.resolve(),
}
