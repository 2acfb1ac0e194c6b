import { textOf } from './fields.ts'
import type { Origin } from './failure.ts'
import { openRequirement, type OpenRequirement } from './graph-builder.ts'
import type { YamlReader } from './yaml-reader.ts'

/** What was chosen for a key of `snapshots`. */
export interface ChosenEntry {
  readonly text: string
  /** The constraint of each is the reference that was chosen. */
  readonly chosen: readonly OpenRequirement[]
}

/** The section `snapshots`, in its order. */
export type ChosenEntries = readonly ChosenEntry[]

export function readChosen(reader: YamlReader, origin: Origin): ChosenEntries {
  const entries: ChosenEntry[] = []
  const chosenOf = makeChosenReader(reader, origin)
  reader.pairs((text) => void entries.push({ text, chosen: chosenOf() }))
  return entries
}

/** Reads one snapshot after the other. */
function makeChosenReader(reader: YamlReader, origin: Origin): () => readonly OpenRequirement[] {
  let chosen = NOTHING
  let optional = false
  const add = (name: string): void => {
    const constraint = textOf(reader.text(), origin)
    const one = openRequirement(name, constraint, 'dependency', 'regular', optional)
    if (chosen === NOTHING) chosen = [one]
    else chosen.push(one)
  }
  const take = (section: string): void => {
    optional = section === 'optionalDependencies'
    if (optional || section === 'dependencies') reader.pairs(add)
    else reader.skip()
  }
  return () => {
    chosen = NOTHING
    reader.pairs(take)
    return chosen
  }
}

/** Never added to. */
const NOTHING: OpenRequirement[] = []
