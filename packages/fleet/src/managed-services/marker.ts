import { textFile } from '@fleet/shell'
import type { ServiceHook } from '#/managed-services/declaration.ts'

/** `is_ours MARKER PATH` for scripts. */
export const MARKER: string = textFile('commands/marker.sh', import.meta.url)
const ADMIT = [MARKER, textFile('commands/admit-marked.sh', import.meta.url)].join('\n')

/** What a line of each file of a record says after its `#`, such as `fleet.process.id=7`. */
export const markerText = (family: string, id: number | string): string => `fleet.${family}.id=${id}`

/** The hook by which no file without the marker is replaced or removed. Paths have no spaces. */
export const admitMarked = (marker: string, paths: readonly string[]): ServiceHook => ({
  source: ADMIT,
  argument: [marker, ...paths].join(' '),
})
