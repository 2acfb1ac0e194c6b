/** What a run takes when nobody names a seed: what decides about a change fails for the change alone. */
export const FIXED_SEED = 1

/** The seed of everything that a test leaves to chance: `FLEET_TEST_SEED`, or the fixed one. */
export const testSeed = (): number => Number(process.env['FLEET_TEST_SEED'] ?? FIXED_SEED)

/** Whether sweeps try every combination (`--whole`) instead of a sample. */
export const isWhole = (): boolean => process.env['FLEET_TEST_WHOLE'] === '1'

/** The distance between two cases of a sweep that a run tries: `share`, and 1 in a whole run. */
export const sampleShare = (share: number): number => (isWhole() ? 1 : share)

/** Whether a sweep tries the case at this place of its order: every `share`-th, beginning where the seed says. */
export const isSampled = (at: number, share: number, offset = 0): boolean =>
  (at + offset + testSeed()) % sampleShare(share) === 0

/** Every `share`-th of the cases: runs whose offsets, or whose seeds, follow one another try all of them. */
export const sampled = <T>(cases: readonly T[], share: number, offset = 0): readonly T[] =>
  cases.filter((_, at) => isSampled(at, share, offset))
