import { parse, satisfies, validRange } from 'semver'

/** Longer ranges are refused: the cost of reading one grows with its length. */
const LONGEST = 256

/** Whether a text is a range of semantic versions, such as `^1.2` or `<4.17.21`. A blank one is none: who means any leaves it out. */
export const isVersionRange = (range: string): boolean =>
  // Read loosely, a range loses the parts that cannot be read, and then answers another question.
  range.length <= LONGEST && range.trim() !== '' && validRange(range) !== null

/**
 * Whether a locked version is in a range; prereleases count too, because a question about what is installed means them.
 * Versions of Composer may have a leading `v` and a fourth number that is 0. What is no semantic version is in no range.
 */
export const isInRange = (version: string, range: string): boolean =>
  satisfies(version.replace(/^v?(\d+\.\d+\.\d+)\.0$/, '$1'), range, { loose: true, includePrerelease: true })

/** Whether a text is a semantic version, exactly as it stands. */
export const isVersion = (version: string): boolean =>
  version === version.trim() && parse(version)?.raw === version

/** Whether a semantic version is in a range as package managers read it: a prerelease only where the range names one. */
export const satisfiesRange = (version: string, range: string): boolean => satisfies(version, range)
