/** Bounds that hold before and while a source is read (DEX-029, DEX-031). Sizes in bytes of UTF-8. */
export const LIMITS = {
  manifestMaxBytes: 1024 * 1024,
  lockMaxBytes: 8 * 1024 * 1024,
  filesMaxBytes: 32 * 1024 * 1024,
  resolutions: 50_000,
  requirements: 200_000,
  textMaxBytes: 16 * 1024,
  /** Objects and lists inside each other; lock files of the managers need fewer than ten. */
  depth: 100,
  /** Packages installed inside each other; a lookup climbs as many levels at the most. */
  nestedPackages: 100,
  /** An alias range is the only text that semver reads; its cost grows with its length. */
  aliasRangeLength: 256,
} as const
