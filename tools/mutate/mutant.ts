/** Name of the variable that brings a mutant to the processes under test. */
export const MUTANT = 'FLEET_MUTANT'

/** A place as a process under test needs it. */
export interface Mutant {
  /** Absolute path. */
  readonly file: string
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** The text with the place broken. */
export const applyPlace = (text: string, { start, end, replacement }: Omit<Mutant, 'file'>): string =>
  text.slice(0, start) + replacement + text.slice(end)
