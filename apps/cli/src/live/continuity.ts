/** How long a number may be overdue: a broadcast lasts 5 s at most, and two that end together may arrive in the other order. */
export const GRACE_MILLISECONDS = 6000

/** Numbers of one run, both included, of which no event arrived. */
export interface Missed {
  readonly run: string
  readonly from: number
  readonly to: number
}

interface Gap extends Missed {
  /** Ticks at which it counts as missed. */
  readonly due: number
}

/** Detects lost events by their numbers (decision 0075). */
export class Continuity {
  readonly #highest = new Map<string, number>()
  #gaps: readonly Gap[] = []

  /** An event arrived. The very first one only gives the current number; a run that starts later begins with 1. */
  note(run: string, sequence: number, ticks: number): void {
    const before = this.#highest.get(run) ?? (this.#highest.size === 0 ? sequence - 1 : 0)
    if (sequence <= before) {
      this.#gaps = this.#gaps.flatMap((gap) => (gap.run === run ? without(gap, sequence) : [gap]))
      return
    }
    this.#highest.set(run, sequence)
    if (sequence === before + 1) return
    const gap = { run, from: before + 1, to: sequence - 1, due: ticks + GRACE_MILLISECONDS }
    this.#gaps = [...this.#gaps, gap]
  }

  /** What is overdue by now, once each. */
  overdue(ticks: number): readonly Missed[] {
    const due = this.#gaps.filter((gap) => gap.due <= ticks)
    this.#gaps = this.#gaps.filter((gap) => gap.due > ticks)
    return due.map(({ run, from, to }) => ({ run, from, to }))
  }
}

/** What is left of the gap when one of its numbers has come late. */
function without(gap: Gap, sequence: number): readonly Gap[] {
  if (sequence < gap.from || sequence > gap.to) return [gap]
  return [
    { ...gap, to: sequence - 1 },
    { ...gap, from: sequence + 1 },
  ].filter(({ from, to }) => from <= to)
}
