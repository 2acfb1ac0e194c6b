/** Bounds that belong to no single family. Seconds and bytes are in the names. */
export const LIMITS = {
  /** GW-033: the web tier ends a request after this. */
  requestSeconds: 600,
  /** GW-034: remote work of one request. */
  deadlineSeconds: 570,
  /** GW-034: the part of the deadline that forward work leaves to clean-up. */
  cleanupReserveSeconds: 20,
  /** GW-035: one SSH command, cut to the rest of the deadline. */
  commandSeconds: 900,
  /** GW-036: a running Activity row older than this belongs to an interrupted request. */
  activityInterruptedSeconds: 900,
  /** GW-042: wait for the Instance operation lock. */
  instanceLockSeconds: 30,
  /** ENV-078 allows 64 KiB of value, which JSON escapes can make six times as long. */
  bodyMaxBytes: 1024 * 1024,
} as const
