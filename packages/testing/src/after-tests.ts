const endings = new Set<() => Promise<void>>()

/** Something that this process keeps for all its tests and ends after the last one. */
export const endAfterTests = (end: () => Promise<void>): void => void endings.add(end)

/** Ends all of it; for the program that runs the tests. */
export async function endWhatTestsKept(): Promise<void> {
  await Promise.all([...endings].map((end) => end()))
  endings.clear()
}
