/** How far an update of a Project with Instances came, in order (PRJ-041). */
export const projectUpdateStates = [
  'reserved',
  'preflighted',
  'prepared',
  'publishing',
  'cleaning_up',
  'complete',
  'rolling_back',
  'rolled_back',
] as const
export type ProjectUpdateState = (typeof projectUpdateStates)[number]

interface UpdateRules {
  /** Only the identical request may continue; every other update is refused (PRJ-045). */
  readonly isOpen: boolean
  /** The new values are in effect: it only goes forward (PRJ-044). */
  readonly isPublished: boolean
}

const before = { isOpen: true, isPublished: false } as const
const after = { isOpen: true, isPublished: true } as const

/** What each state means for the next request. */
export const projectUpdateRules = {
  reserved: before,
  preflighted: before,
  prepared: before,
  publishing: after,
  cleaning_up: after,
  complete: { isOpen: false, isPublished: true },
  rolling_back: before,
  rolled_back: { isOpen: false, isPublished: false },
} as const satisfies Record<ProjectUpdateState, UpdateRules>
