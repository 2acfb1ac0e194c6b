import type { Failure } from '../suite/outcome.ts'

/** Something that comes out alike for the same seed, and may come out badly for another. */
export interface Probe {
  readonly name: string
  /** Failures under this seed. */
  run(seed: number, signal: AbortSignal): Promise<readonly Failure[]>
  /** The command that repeats it. */
  repeat(seed: number): string
}

export interface Exploration {
  readonly probes: readonly Probe[]
  /** A seed that was not tried yet. */
  readonly nextSeed: () => number
  /** Aborts when the time is over: what runs then is ended, and says nothing. */
  readonly end: AbortSignal
  readonly print: (line: string) => void
}

export interface Found {
  readonly tried: number
  readonly failed: number
}

/** Tries the probes in turn, each time with another seed, until the end. What fails is printed at once, with how to repeat it. */
export async function explore({ probes, nextSeed, end, print }: Exploration): Promise<Found> {
  let [tried, failed] = [0, 0]
  while (!end.aborted) {
    for (const probe of probes) {
      const seed = nextSeed()
      const failures = await probe.run(seed, end)
      if (end.aborted) break
      tried += 1
      if (failures.length === 0) continue
      failed += 1
      for (const line of foundLines(probe, seed, failures)) print(line)
    }
  }
  return { tried, failed }
}

const foundLines = (probe: Probe, seed: number, failures: readonly Failure[]): readonly string[] => [
  `FOUND ${probe.name}, seed ${seed}`,
  `  repeat: ${probe.repeat(seed)}`,
  ...failures.flatMap(({ name, place, error }) => [`  ${name}`, `    ${place}`, indented(error ?? '')]),
]

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '    ')
