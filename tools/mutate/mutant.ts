import { join } from 'node:path'

/** Name of the variable that brings a mutant to the processes under test. */
export const MUTANT = 'FLEET_MUTANT'
/** Name of the variable that brings them the file with marked sources. */
export const MARKS = 'FLEET_MARKS'
/** Loaded before everything else in a process under test. */
export const HOOK = join(import.meta.dirname, 'hook.ts')

/** A place as a process under test needs it. */
export interface Mutant {
  /** Absolute path. */
  readonly file: string
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** Sources in which every function says that it ran. */
export interface Marks {
  /** Gets a line for each function and test file. */
  readonly log: string
  /** By absolute path. */
  readonly sources: Readonly<Record<string, string>>
}

/** The text with the place broken. */
export const applyPlace = (text: string, { start, end, replacement }: Omit<Mutant, 'file'>): string =>
  text.slice(0, start) + replacement + text.slice(end)
