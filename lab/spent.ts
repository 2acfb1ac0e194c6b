import { appendFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from './place.ts'

const ledger = ({ folder }: Place): string => join(folder, 'processor-seconds')

/** Notes what a host has used when it goes off: nobody waits for its processes, so no parent knows. */
export const noteSpent = (place: Place, seconds: number): void =>
  appendFileSync(ledger(place), `${seconds}\n`)

/** Processor seconds of the hosts of a lab that went off since this was asked before. */
export function takeSpent(place: Place): number {
  try {
    const lines = readFileSync(ledger(place), 'utf8').split('\n')
    rmSync(ledger(place))
    return lines.reduce((sum, line) => sum + Number(line), 0)
  } catch {
    // No host of this lab has run.
    return 0
  }
}
